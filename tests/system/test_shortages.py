"""Tests of limits that are too low: one sentence names the limit and how to raise it."""

import subprocess
from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from tests.system.capable import Capable
from tests.system.servers import SYSWATCH, need
from tests.system.shell import run
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing
from tests.unmeasured import unmeasured

_BACKENDS = ("ptrace", "ebpf")


class LimitTests(SynchronousTestCase):
    """Commands with low limits."""

    def setUp(self) -> None:
        """Skip the test without prlimit."""
        need("prlimit")

    def limited(self, limit: str, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run syswatch with a limit."""
        # Coverage would start first and exceed the limit.
        with unmeasured():
            return run(["prlimit", limit, *SYSWATCH, *words])

    def assert_said(self, limit: str, said: str, *words: str) -> None:
        """Check for one sentence, a failure, and that no command was started."""
        result = self.limited(limit, *words, "--", "echo", "started")
        self.assertEqual((1, "", f"syswatch: {said}\n"), tuple(_seen(result)), limit)

    def test_memory(self) -> None:
        """Too little memory for all modules is reported before they are loaded."""
        for kilobytes in (25_000, 40_000, 58_593):
            said = (
                f"cannot start: not enough memory: the limit on virtual memory is "
                f"{kilobytes} kB (raise it with: ulimit -v unlimited)"
            )
            self.assert_said(f"--as={kilobytes * 1024}", said, "run")
        said = (
            "cannot start: not enough memory: the limit on data is 30000 kB "
            "(raise it with: ulimit -d unlimited)"
        )
        self.assert_said(f"--data={30_000 * 1024}", said, "run")

    def test_files(self) -> None:
        """A low limit of open files is named as the reason."""
        require_tracing()
        require_ebpf()
        why = "too many open files: the limit on open files is {} (raise it with: ulimit -n 1024)"
        said = f"cannot start the tracer: {why.format(12)}"
        self.assert_said("--nofile=12", said, "run")
        for files in (20, 24, 40):
            said = f"eBPF cannot be used: {why.format(files)}."
            self.assert_said(f"--nofile={files}", said, "run", "--backend", "ebpf")
            result = self.limited(f"--nofile={files}", "run", "--", "sh", "-c", "exit 3")
            self.assertIn(
                f"syswatch: backend ptrace ({said.removesuffix('.')}); it adds", result.stderr
            )
            self.assertEqual(3, result.returncode)

    def test_processes(self) -> None:
        """A low limit of processes is named as the reason."""
        require_tracing()
        capable = Capable.make()
        self.addCleanup(capable.remove)
        command = ("-m", "syswatch", "run", "--backend", "ptrace", "--", "true")
        result = capable.run(*command, before=("prlimit", "--nproc=1"))
        said = (
            "syswatch: cannot start the tracer: no more processes can be started: the limit "
            "on processes of this user is 1 (raise it with: ulimit -u unlimited)\n"
        )
        self.assertEqual((1, said), (result.returncode, result.stderr))

    def test_time(self) -> None:
        """A command that exceeds its CPU time is killed, and syswatch ends as it does."""
        require_tracing()
        require_ebpf()
        for backend in _BACKENDS:
            command = ("run", "--backend", backend, "--", "sh", "-c", "while :; do :; done")
            self.assertEqual(-9, self.limited("--cpu=1", *command).returncode)

    def test_size(self) -> None:
        """A command that exceeds the file size is killed, as it is untraced."""
        require_tracing()
        require_ebpf()
        for backend in _BACKENDS:
            target = self.mktemp()
            command = ("run", "--backend", backend, "--", "cp", "/bin/sh", target)
            self.assertEqual(-25, self.limited("--fsize=1000", *command).returncode)

    def test_small_stack(self) -> None:
        """A small stack, or no locked memory, is enough to trace."""
        require_tracing()
        require_ebpf()
        for backend in _BACKENDS:
            for limit in ("--stack=200000", "--memlock=0"):
                result = self.limited(limit, "run", "--backend", backend, "sh", "-c", "exit 3")
                self.assertEqual(3, result.returncode, result.stderr)


def _seen(result: "subprocess.CompletedProcess[str]") -> Sequence[int | str]:
    return result.returncode, result.stdout, result.stderr
