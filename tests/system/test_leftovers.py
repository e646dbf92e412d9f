"""Tests that a run leaves nothing behind: no process, file, eBPF program or map."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from twisted.trial.unittest import SynchronousTestCase

from tests.system.leftovers import Leftovers
from tests.system.servers import (
    PATIENCE_S,
    SYSWATCH,
    Server,
    is_running,
    need,
    running,
    tracers_of,
    wait_for,
)
from tests.tracer.contract.targets import Target
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

# A filter, and a target that is bound to one CPU, need helper processes.
_WAYS = (("ptrace", ()), ("ptrace", ("-e", "trace=getppid")), ("ebpf", ()))
_ENDS = ("service asked", "service killed", "tracer killed")


class LeftoverTests(SynchronousTestCase):
    """Each backend with each way to end."""

    def setUp(self) -> None:
        """Skip the test without bpftool."""
        require_tracing()
        require_ebpf()
        need("bpftool")

    @contextmanager
    def leftovers(self) -> Iterator[Leftovers]:
        """Return a run; check at the end of the test that nothing is left of it."""
        found = Leftovers()
        try:
            yield found
            wait_for(lambda: not found.processes())
            # The kernel frees some objects with a delay.
            wait_for(lambda: not found.objects())
            self.assertEqual(set(), found.files())
        finally:
            for pid in found.processes():
                os.kill(pid, signal.SIGKILL)
            shutil.rmtree(found.folder)

    @contextmanager
    def target(self, found: Leftovers) -> Iterator[int]:
        """Start a process to attach to, which does not belong to the run."""
        with Target.begin(program("busy")).process as process:
            try:
                yield process.pid
                # Nothing of the run may wait for its end.
                wait_for(lambda: not found.processes())
                self.assertIsNone(process.poll())
            finally:
                process.kill()

    def end(self, how: str, server: Server, found: Leftovers, backend: str) -> None:
        """End a run."""
        wait_for(lambda: server.json("/api/status")["Total"])
        kinds = found.note_objects()
        self.assertEqual({"prog", "map", "link", "btf"} if backend == "ebpf" else set(), kinds)
        self.assertEqual(kinds, {kind for kind, _ in found.objects()})
        if how == "tracer killed":
            (tracer,) = tracers_of(server.process.pid)
            os.kill(tracer, signal.SIGKILL)
            wait_for(lambda: server.json("/api/status")["Done"])
        server.process.send_signal(signal.SIGKILL if how == "service killed" else signal.SIGTERM)
        # A command that is still running keeps the outputs open.
        server.process.wait(PATIENCE_S)

    def each(self, check: Callable[[str, str, tuple[str, ...]], None]) -> None:
        """Yield each way to end with each backend."""
        for how in _ENDS:
            for backend, flags in _WAYS:
                check(how, backend, flags)

    def test_run(self) -> None:
        """Nothing is left after `run`, whether its command is detached or terminated."""

        def check(how: str, backend: str, flags: tuple[str, ...]) -> None:
            words = ("run", "--backend", backend, *flags, "--serve", ":0", "--", program("busy"))
            # The command runs until its input ends.
            unread, unwritten = os.pipe()
            self.addCleanup(os.close, unwritten)
            with self.leftovers() as found, open(unread, "rb") as source:  # noqa: PTH123
                with running([*SYSWATCH, *words], found.environment, stdin=source) as server:
                    command = wait_for(lambda: server.json("/api/status")["Proc"]["PID"])
                    self.end(how, server, found, backend)
                if how != "service asked":
                    self.assertTrue(is_running(command), (how, backend, flags))
                    os.kill(command, signal.SIGKILL)

        self.each(check)

    def test_attach(self) -> None:
        """Nothing is left after `attach`, although the target is still running."""

        def check(how: str, backend: str, flags: tuple[str, ...]) -> None:
            with self.leftovers() as found, self.target(found) as pid:
                words = ("attach", "--backend", backend, *flags, "--serve", ":0", str(pid))
                with running([*SYSWATCH, *words], found.environment) as server:
                    self.end(how, server, found, backend)

        self.each(check)

    def test_ended(self) -> None:
        """Nothing is left after a command ends or cannot be started."""
        for backend, flags in _WAYS:
            for command in ("true", "/no/such/command"):
                with self.leftovers() as found:
                    subprocess.run(
                        [*SYSWATCH, "run", "--backend", backend, *flags, "--", command],
                        env={**os.environ, **found.environment},
                        capture_output=True,
                        timeout=PATIENCE_S,
                        check=False,
                    )

    def test_refused(self) -> None:
        """Nothing is left if the kernel refuses the eBPF program."""
        with self.leftovers() as found:
            result = subprocess.run(
                [program("refused"), "bpf", *SYSWATCH, "run", "--backend", "ebpf", "--", "true"],
                env={**os.environ, **found.environment},
                capture_output=True,
                timeout=PATIENCE_S,
                check=False,
            )
            self.assertEqual(1, result.returncode, result.stderr)
