"""Tests of running processes: attaching, detaching, and no side effects."""

import os
import signal
import subprocess
from pathlib import Path

from syswatch.machine.proc import has_ended, read_stat
from syswatch.model.messages import Attach, Deliver, Detach, Ended, Failed
from tests.system.servers import wait_for
from tests.tracer.harness import PATIENCE_S, run
from tests.tracer.programs import program
from tests.unmeasured import unmeasured

from .case import BackendCase
from .targets import Target


def state_of(pid: int) -> str:
    """Return the state of a process, one letter."""
    stat = read_stat(pid)
    return stat.state if stat else ""


class AttachContract(BackendCase):
    """Attaching and detaching."""

    def target(self, *arguments: str) -> Target:
        """Start a target that ends with the test."""
        return self.begin(program("busy"), *arguments)

    def begin(self, *command: str) -> Target:
        """Start a program as a target."""
        target = Target.begin(*command)
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        return target

    def refusal(self, pid: int) -> str:
        """Return why a process cannot be attached to."""
        ending = run(Attach((pid,), options=self.options())).ending
        assert isinstance(ending, Failed)
        return ending.message

    @unmeasured()
    def test_ten_times(self) -> None:
        """A process with two threads is attached to ten times, and ends as usual."""
        target = self.target("with a thread")
        for _ in range(10):
            tracer = self.attach_to(target.pid)
            tracer.await_calls("getppid", 100)
            tracer.send(Detach())
            outcome = tracer.finish()
            self.assertEqual(Ended(), outcome.ending)
            self.assertEqual({target.pid}, set(outcome.delta.processes))
            self.assertEqual("0", target.status("TracerPid"))
        self.assertEqual(42, target.end())

    def test_threads(self) -> None:
        """All threads of a process are traced."""
        target = self.target("with a thread")
        tracer = self.attach_to(target.pid)
        tracer.await_callers(2)
        tracer.send(Detach())
        self.assertEqual(2, len({entry.pid for entry in tracer.finish().delta.log}))
        self.assertEqual(42, target.end())

    def test_without_leader(self) -> None:
        """A process whose first thread has ended can be attached to."""
        target = self.target("with a thread", "alone")
        tracer = self.attach_to(target.pid)
        tracer.await_calls("getppid", 100)
        self.assertEqual(42, target.end())
        self.assertIsInstance(tracer.finish().ending, Ended)

    def test_end_while_attached(self) -> None:
        """The ending of the process is reported."""
        target = self.target()
        tracer = self.attach_to(target.pid)
        tracer.await_calls("getppid")
        self.assertEqual(42, target.end())
        outcome = tracer.finish()
        self.assertEqual(Ended(exit_code=42), outcome.ending)
        self.assertEqual("exited with 42", outcome.delta.processes[target.pid].ending)

    def test_signal(self) -> None:
        """A signal is passed on to the process, and its ending is reported."""
        target = self.target()
        tracer = self.attach_to(target.pid)
        tracer.send(Deliver(signal.SIGTERM))
        target.process.wait(PATIENCE_S)
        self.assertEqual(Ended(exit_signal=signal.SIGTERM), tracer.finish().ending)

    def test_killed(self) -> None:
        """A process that is killed at any moment, with two threads, is reported as killed."""
        for _ in range(3):
            target = self.target("with a thread")
            tracer = self.attach_to(target.pid)
            tracer.await_calls("getppid")
            target.process.kill()
            target.process.wait(PATIENCE_S)
            self.assertEqual(Ended(exit_signal=signal.SIGKILL), tracer.finish().ending)

    def test_stopped(self) -> None:
        """A stopped process is attached to and detached from without being continued."""
        target = self.target()
        os.kill(target.pid, signal.SIGSTOP)
        os.waitpid(target.pid, os.WUNTRACED)
        tracer = self.attach_to(target.pid)
        tracer.send(Detach())
        outcome = tracer.finish()
        self.assertEqual(Ended(), outcome.ending)
        self.assertEqual({}, outcome.counts)
        # The kernel lets a detached thread enter its stop again.
        wait_for(lambda: target.status("State") == "T (stopped)")
        os.kill(target.pid, signal.SIGCONT)
        self.assertEqual(42, target.end())

    def test_call_in_progress(self) -> None:
        """A call that began before attaching is counted without a duration."""
        target = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert target.stdin is not None
        assert target.stdout is not None
        target.stdin.write(b"x")
        target.stdin.flush()
        target.stdout.read(1)
        # It is blocked in read, or will be at its next call.
        while not Path(f"/proc/{target.pid}/syscall").read_text().startswith("0 "):
            os.sched_yield()
        tracer = self.attach_to(target.pid)
        # Attaching with ptrace interrupts the call; the read must be in progress again.
        wait_for(lambda: state_of(target.pid) == "S")
        target.communicate()
        outcome = tracer.finish()
        reads = outcome.delta.calls["read"]
        self.assertEqual((1, 0), (reads.count, reads.timed))
        self.assertEqual(1, outcome.delta.ledger.untimed_calls)

    def test_children(self) -> None:
        """Existing children are traced, unless that is switched off."""
        shell = self.begin("sh", "-c", f"{program('busy')} <&0; exit 42")
        tracer = self.attach_to(shell.pid)
        tracer.await_calls("getppid")
        tracer.send(Detach())
        self.assertEqual(1, len(set(tracer.finish().delta.processes) - {shell.pid}))
        alone = self.attach_to(shell.pid, follow_children=False)
        self.assertEqual(42, shell.end())
        self.assertNotIn("getppid", alone.finish().counts)

    def test_zombie_child(self) -> None:
        """A zombie child does not delay the end of the trace."""
        note = Path(self.mktemp())
        target = self.begin("sh", "-c", f"true & echo $! >{note}; exec {program('busy')} <&0")
        child = int(note.read_text())
        wait_for(lambda: has_ended(child))
        tracer = self.attach_to(target.pid)
        tracer.await_calls("getppid")
        tracer.send(Detach())
        self.assertEqual({target.pid}, set(tracer.finish().delta.processes))
        self.assertEqual(42, target.end())

    def test_tracer_killed(self) -> None:
        """A process survives its tracer being killed, whatever it is doing."""
        target = self.target("with a thread")
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
            tracer = self.attach_to(target.pid)
            tracer.await_calls("getppid")
            tracer.process.send_signal(number)
            tracer.finish()
            self.assertEqual("0", target.status("TracerPid"))
        self.assertEqual(42, target.end())

    def test_service_gone(self) -> None:
        """If the service has ended, the tracer detaches from all processes."""
        target = self.target()
        tracer = self.attach_to(target.pid)
        tracer.await_calls("getppid")
        tracer.close_control()
        self.assertEqual(Ended(), tracer.finish().ending)
        self.assertEqual(42, target.end())

    def test_no_such_process(self) -> None:
        """The error names a process that does not exist or has ended."""
        gone = subprocess.Popen(["true"])
        os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("it has ended and is a zombie", self.refusal(gone.pid))
        gone.wait()
        self.assertEqual(f"no such process: {gone.pid}", self.refusal(gone.pid))
