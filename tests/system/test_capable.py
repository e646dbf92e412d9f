"""An unprivileged user traces with file capabilities or ambient capabilities."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import attrs
from twisted.trial.unittest import SynchronousTestCase

from tests.system.capable import BECOME_NOBODY, Capable
from tests.system.inherited import inherited
from tests.system.servers import running, wait_for
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

_BACKENDS = ("ptrace", "ebpf")
# The variables that the C library removes for a program with capabilities.
_UNSAFE = {"LD_LIBRARY_PATH": "/no/such/folder", "TMPDIR": "/no/such", "LC_CTYPE": "C"}
_AMBIENT = "+sys_ptrace,+bpf,+perfmon"


class CapableTests(SynchronousTestCase):
    """Traces by a user who is not root."""

    def setUp(self) -> None:
        """Create an interpreter that can be given capabilities."""
        require_tracing()
        require_ebpf()
        self.capable = Capable.make()
        self.addCleanup(self.capable.remove)

    def watch(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run syswatch as an unprivileged user."""
        return self.capable.run("-m", "syswatch", *words)

    def assert_attaches(self, capable: Capable, backend: str) -> None:
        """Attach to a process of root."""
        with subprocess.Popen(["sh", "-c", "while :; do sleep 0.01; done"]) as target:
            self.addCleanup(target.kill)
            command = [*capable.as_nobody, *capable.syswatch, "attach", "--backend", backend]
            with running(
                [
                    "env",
                    *(f"{name}={value}" for name, value in capable.environment.items()),
                    *command,
                    "--serve",
                    ":0",
                    str(target.pid),
                ],
                pass_fds=capable.descriptors,
            ) as server:
                wait_for(lambda: server.json("/api/status")["Total"])
                self.assertEqual(backend, server.json("/api/status")["Backend"])
            target.kill()

    def assert_same(self, capable: Capable, variables: Mapping[str, str]) -> Mapping[str, str]:
        """Return what a command inherits; check that it is the same with each backend."""

        def find(*prefix: str) -> dict[str, str]:
            variables_of_both = {**capable.environment, **variables}
            return inherited(prefix, capable.as_nobody, "", variables_of_both, capable.descriptors)

        alone = find()
        for backend in _BACKENDS:
            options = ("run", "--summary", "--output", "/dev/null", "--no-colocate")
            self.assertEqual(alone, find(*capable.syswatch, *options, "--backend", backend, "--"))
        return alone

    def test_run(self) -> None:
        """Each backend traces a command, also with a filter."""
        for backend in _BACKENDS:
            for flags in ((), ("-e", "trace=openat"), ("-y", "--per-pid")):
                result = self.watch("run", "--backend", backend, *flags, "--", "sh", "-c", "exit 3")
                self.assertEqual(3, result.returncode, result.stderr)
                self.assertRegex(result.stderr, r"openat +FS +\d+")

    def test_attach(self) -> None:
        """Each backend traces a process of another user."""
        for backend in _BACKENDS:
            self.assert_attaches(self.capable, backend)

    def test_inherited(self) -> None:
        """A command inherits none of the capabilities, and everything else."""
        self.assert_same(self.capable, _UNSAFE)

    def test_alone(self) -> None:
        """With one capability alone, the missing one is named."""
        for granted, missing in (
            ("cap_bpf", "CAP_PERFMON"),
            ("cap_perfmon", "CAP_BPF"),
            ("cap_sys_ptrace", "CAP_BPF and CAP_PERFMON"),
        ):
            self.capable.grant(granted)
            result = self.watch("run", "--backend", "ebpf", "--", "true")
            self.assertEqual(1, result.returncode)
            said = rf"syswatch: eBPF cannot be used: it needs {missing}\. What helps: .+\n"
            self.assertIsNotNone(re.fullmatch(said, result.stderr), result.stderr)
            result = self.watch("run", "--backend", "ptrace", "--", "true")
            self.assertEqual(0, result.returncode, result.stderr)
            result = self.watch("run", "--", "true")
            self.assertEqual(0, result.returncode, result.stderr)
            self.assertIn("backend ptrace (eBPF is not usable", result.stderr)

    def test_attach_alone(self) -> None:
        """To attach to other users' processes, ptrace needs one capability, and eBPF two."""
        self.capable.grant("cap_bpf,cap_perfmon")
        self.assert_attaches(self.capable, "ebpf")
        with subprocess.Popen(["sleep", "1000"]) as target:
            self.addCleanup(target.kill)
            result = self.watch("attach", "--backend", "ptrace", str(target.pid))
            target.kill()
        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stderr, r"without CAP_SYS_PTRACE\. What helps: .+CAP|SYS_PTRACE")
        self.capable.grant("cap_sys_ptrace")
        self.assert_attaches(self.capable, "ptrace")

    def test_unreadable(self) -> None:
        """The calls of a process whose descriptors cannot be read are shown all the same."""
        self.capable.grant("cap_bpf,cap_perfmon")
        read_end, write_end = os.pipe()
        target = subprocess.Popen(["cat"], stdin=read_end)
        self.addCleanup(target.wait)
        self.addCleanup(os.close, write_end)
        os.close(read_end)
        wait_for(lambda: Path(f"/proc/{target.pid}/syscall").read_text().startswith("0 "))
        command = [*self.capable.as_nobody, *self.capable.syswatch, "attach", "--serve", ":0"]
        variables = [f"{name}={value}" for name, value in self.capable.environment.items()]
        words = ["env", *variables, *command, "--backend", "ebpf", str(target.pid)]
        with running(words, pass_fds=self.capable.descriptors) as server:
            wait_for(lambda: [each["Call"] for each in server.json("/api/now")["Threads"]])
            (thread,) = server.json("/api/now")["Threads"]
            name = f"descriptor 0 of cat ({target.pid})"
            self.assertEqual(("read", "blocked"), (thread["Call"], thread["State"]))
            self.assertEqual(name, thread["Object"]["Name"])
            verdict = server.json("/api/time")["Verdict"]
            self.assertRegex(verdict, f"100 % waiting, .* for {re.escape(name)}")

    def test_ambient(self) -> None:
        """Ambient capabilities work as well, and the command inherits them."""
        rights = (*BECOME_NOBODY, f"--inh-caps={_AMBIENT}", f"--ambient-caps={_AMBIENT}")
        subprocess.run(["setcap", "-r", self.capable.interpreter], check=True)
        ambient = attrs.evolve(self.capable, as_nobody=rights)
        for backend in _BACKENDS:
            self.assert_attaches(ambient, backend)
        found = self.assert_same(ambient, {})
        self.assertIn("c000080000", found["status CapAmb"])
