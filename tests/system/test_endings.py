"""How `syswatch run` and `syswatch attach` end, and how the target goes on without them."""

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

# Interrupts itself while it imports what the command line is made of.
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
_ALLOWED = {PTRACE.name: require_tracing, EBPF.name: require_ebpf}


class LonelyTargetTests(SynchronousTestCase):
    """A target outlives whoever watches it."""

    def target(self) -> Target:
        """Start a target that does not outlive the test."""
        target = Target.begin(program("busy"), "with a thread")
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        return target

    def assert_lives(self, backend: str, *, main: bool) -> None:
        """Kill the tracer child, or else the main process, while it is attached."""
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
        """The service stays up, says what has happened, and ends with status 1."""
        wait_for(lambda: server.json("/api/status")["Done"])
        self.assertIn("killed by signal 9", server.json("/api/status")["Trouble"])
        self.assertLess(0, server.json("/api/status")["Total"])
        self.assertEqual(1, server.end())
        self.assertIn(b"was killed by signal 9; the results are incomplete", server.output)

    def test_tracer_killed(self) -> None:
        """The target goes on, and so does the service."""
        self.assert_lives(PTRACE.name, main=False)

    def test_tracer_killed_ebpf(self) -> None:
        """The target goes on, and so does the service."""
        self.assert_lives(EBPF.name, main=False)

    def test_main_killed(self) -> None:
        """The target goes on when nothing of us is left."""
        self.assert_lives(PTRACE.name, main=True)

    def test_main_killed_ebpf(self) -> None:
        """The target goes on when nothing of us is left."""
        self.assert_lives(EBPF.name, main=True)


class HangUpTests(SynchronousTestCase):
    """A terminal that goes away."""

    def test_report(self) -> None:
        """What has been seen is written; the target goes on, or ends as it does without us."""
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
        """With nohup it is no reason to end."""
        require_tracing()
        with running(["nohup", *SYSWATCH, "run", "--serve", ":0", "--", "sleep", "1000"]) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            server.process.send_signal(signal.SIGHUP)
            self.assertFalse(server.json("/api/status")["Done"])
            self.assertEqual(-signal.SIGTERM, server.end())


class StatusTests(SynchronousTestCase):
    """The exit status is that of the command."""

    def status(self, *command: str) -> int:
        """Return the status of a watched command."""
        require_tracing()
        return run([*SYSWATCH, "run", "--output", "/dev/null", "--", *command]).returncode

    def test_code(self) -> None:
        """An exit code is ours; a signal kills us, too."""
        self.assertEqual(0, self.status("true"))
        self.assertEqual(3, self.status("sh", "-c", "exit 3"))
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
            self.assertEqual(-number, self.status("sh", "-c", f"kill -{number.value} $$"))

    def test_interrupted_at_once(self) -> None:
        """A Ctrl+C that comes while we are being loaded ends us without a word."""
        result = run([sys.executable, "-c", _INTERRUPTED_AT_ONCE])
        self.assertEqual(
            (-signal.SIGINT, "", ""), (result.returncode, result.stdout, result.stderr)
        )

    def test_no_command(self) -> None:
        """What cannot be started ends as in a shell."""
        plain = Path(self.mktemp())
        plain.touch()
        self.assertEqual(127, self.status("no-such-command"))
        self.assertEqual(126, self.status(str(plain.absolute())))

    def test_kills_its_parent(self) -> None:
        """A command that ends its parent, which it takes for its shell, goes on to its end."""
        require_tracing()
        result = run([*SYSWATCH, "run", "--", "sh", "-c", "kill -TERM $PPID; exec echo on"])
        self.assertEqual("on\n", result.stdout)

    def test_forwarded(self) -> None:
        """A SIGTERM that is passed on is how the command ended, and how we end."""
        require_tracing()
        command = [*SYSWATCH, "run", "--summary", "--serve", ":0", "--", "sleep", "1000"]
        with running(command) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            target = server.json("/api/status")["Proc"]["PID"]
            self.assertEqual(-signal.SIGTERM, server.end())
            self.assertFalse(is_running(target))

    def test_shown(self) -> None:
        """While a server stays, it shows the signal that killed the command."""
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
