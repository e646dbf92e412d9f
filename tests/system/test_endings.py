"""How `syswatch run` and `syswatch attach` end, and what becomes of the target."""

import os
import signal
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.backends import EBPF, PTRACE
from tests.system.servers import (
    SYSWATCH,
    Server,
    is_running,
    running,
    tracers_of,
    wait_for,
)
from tests.system.shell import run
from tests.tracer.contract.targets import Target
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

# Interrupts itself while it imports the command line's modules.
_INTERRUPTED_AT_ONCE = """
import os, signal, sys
from syswatch.app.cli import main

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == "syswatch.app.command_line":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
signal.signal(signal.SIGINT, signal.default_int_handler)
main(["run", "true"])
"""
# Interrupts itself at the first import of the program, as early as its own code can be.
_INTERRUPTED_FIRST = """
import os, signal, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name not in ("syswatch", "syswatch.app", "syswatch.app.cli"):
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
from syswatch.app.cli import program
program()
"""
_ALLOWED = {PTRACE.name: require_tracing, EBPF.name: require_ebpf}


class SurvivingTargetTests(SynchronousTestCase):
    """A target survives the death of its tracer."""

    def target(self) -> Target:
        """Start a target that ends with the test."""
        target = Target.begin(program("busy"), "with a thread")
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        return target

    def assert_lives(self, backend: str, *, main: bool) -> None:
        """Kill the tracer child or the main process; check that the target keeps running."""
        _ALLOWED[backend]()
        target = self.target()
        before = os.sched_getaffinity(target.pid)
        command = (*SYSWATCH, "attach", "--backend", backend, "--serve", ":0", str(target.pid))
        with running(command) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            [tracer] = tracers_of(server.process.pid)
            os.kill(server.process.pid if main else tracer, signal.SIGKILL)
            wait_for(lambda: not is_running(tracer))
            if not main:
                self.assert_told(server)
        self.assertEqual("0", target.status("TracerPid"))
        wait_for(lambda: os.sched_getaffinity(target.pid) == before)
        self.assertEqual(42, target.end())

    def assert_told(self, server: Server) -> None:
        """Check that the service stays up, reports the failure, and ends with status 1."""
        wait_for(lambda: server.json("/api/status")["Done"])
        self.assertIn("killed by signal 9", server.json("/api/status")["Trouble"])
        self.assertLess(0, server.json("/api/status")["Total"])
        self.assertEqual(1, server.end())
        self.assertIn(b"was killed by signal 9; the results are incomplete", server.output)

    def test_tracer_killed(self) -> None:
        """The target and the service keep running after the tracer is killed."""
        self.assert_lives(PTRACE.name, main=False)

    def test_tracer_killed_ebpf(self) -> None:
        """The target and the service keep running after the tracer is killed."""
        self.assert_lives(EBPF.name, main=False)

    def test_main_killed(self) -> None:
        """The target keeps running after all processes of syswatch are killed."""
        self.assert_lives(PTRACE.name, main=True)

    def test_main_killed_ebpf(self) -> None:
        """The target keeps running after all processes of syswatch are killed."""
        self.assert_lives(EBPF.name, main=True)


class HangUpTests(SynchronousTestCase):
    """A terminal that is closed."""

    def test_report(self) -> None:
        """The report is written; an attached target keeps running, a command gets SIGHUP."""
        require_tracing()
        report = Path(self.mktemp()).absolute()
        with Target.begin(program("busy")).process as target:
            self.addCleanup(target.kill)
            for job, status in (
                (("attach", "--report", str(report), "--serve", ":0", str(target.pid)), 0),
                (("run", "--report", str(report), "--serve", ":0", "--", "sleep", "1000"), -1),
            ):
                with running([*SYSWATCH, *job]) as server:
                    wait_for(lambda: server.json("/api/status")["Total"])
                    server.end(signal.SIGHUP)
                self.assertEqual(status, server.process.returncode)
                self.assertIn("<!doctype html>", report.read_text())
                report.unlink()
            self.assertIsNone(target.poll())
            target.kill()

    def test_ignored(self) -> None:
        """With nohup, SIGHUP is ignored."""
        require_tracing()
        with running(["nohup", *SYSWATCH, "run", "--serve", ":0", "--", "sleep", "1000"]) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            server.process.send_signal(signal.SIGHUP)
            self.assertFalse(server.json("/api/status")["Done"])
            self.assertEqual(-signal.SIGTERM, server.end())


class StatusTests(SynchronousTestCase):
    """The exit status of `run` is that of its command."""

    def status(self, *command: str) -> int:
        """Return the exit status of a traced command."""
        require_tracing()
        return run([*SYSWATCH, "run", "--output", "/dev/null", "--", *command]).returncode

    def test_code(self) -> None:
        """An exit code is passed on, and so is the signal that killed a command."""
        self.assertEqual(0, self.status("true"))
        self.assertEqual(3, self.status("sh", "-c", "exit 3"))
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
            self.assertEqual(-number, self.status("sh", "-c", f"kill -{number.value} $$"))

    def test_interrupted_at_once(self) -> None:
        """A Ctrl+C during startup ends syswatch without output."""
        for code in (_INTERRUPTED_FIRST, _INTERRUPTED_AT_ONCE):
            result = run([sys.executable, "-c", code])
            self.assertEqual(
                (-signal.SIGINT, "", ""), (result.returncode, result.stdout, result.stderr)
            )

    def test_no_command(self) -> None:
        """A command that cannot be started gives the status that a shell gives."""
        plain = Path(self.mktemp())
        plain.touch()
        self.assertEqual(127, self.status("no-such-command"))
        self.assertEqual(126, self.status(str(plain.absolute())))

    def test_kills_its_parent(self) -> None:
        """A command that kills its parent process keeps running."""
        require_tracing()
        result = run([*SYSWATCH, "run", "--", "sh", "-c", "kill -TERM $PPID; exec echo on"])
        self.assertEqual("on\n", result.stdout)

    def test_forwarded(self) -> None:
        """A SIGTERM is forwarded to the command; syswatch ends as the command does."""
        require_tracing()
        command = [*SYSWATCH, "run", "--summary", "--serve", ":0", "--", "sleep", "1000"]
        with running(command) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            target = server.json("/api/status")["Proc"]["PID"]
            self.assertEqual(-signal.SIGTERM, server.end())
            self.assertFalse(is_running(target))

    def test_shown(self) -> None:
        """A server that is still running shows the signal that killed the command."""
        require_tracing()
        command = [*SYSWATCH, "run", "--serve", ":0", "--", "sleep", "1000"]
        with running(command) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            target = server.json("/api/status")["Proc"]["PID"]
            os.kill(target, signal.SIGTERM)
            wait_for(lambda: server.json("/api/status")["Done"])
            status = server.json("/api/status")
            self.assertEqual((None, signal.SIGTERM), (status["ExitCode"], status["ExitSignal"]))
            self.assertEqual(-signal.SIGTERM, server.end())
