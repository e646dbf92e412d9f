"""Processes that run already: seen, let go, and never stopped."""

import os
import signal
import subprocess
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.model.messages import Attach, Deliver, Detach, Ended, Failed, TraceOptions
from tests.tracer.ptrace.harness import Tracer, run, start
from tests.tracer.ptrace.programs import program
from tests.tracer.ptrace.test_attach import Target

from .allowed import require_ebpf


def attach_to(*pids: int, **options: object) -> Tracer:
    """Start a tracer that attaches."""
    tracer = start(Attach(pids, options=TraceOptions(backend="ebpf", **options)))  # type: ignore[arg-type]
    tracer.await_start()
    return tracer


class AttachTests(TestCase):
    """Attaching and letting go."""

    def setUp(self) -> None:
        """Find out first whether eBPF is allowed."""
        require_ebpf()

    def target(self, *arguments: str) -> Target:
        """Start a target that does not outlive the test."""
        target = Target.begin(program("busy"), *arguments)
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        return target

    def test_busy(self) -> None:
        """A busy process with two threads is counted, let go, and ends as it would have."""
        target = self.target("with a thread")
        for _ in range(5):
            tracer = attach_to(target.pid)
            tracer.await_calls("getppid", 1000)
            self.assertEqual("0", target.status("TracerPid"))
            tracer.tell(Detach())
            outcome = tracer.finish()
            self.assertEqual(Ended(), outcome.ending)
            self.assertEqual({target.pid}, set(outcome.delta.processes))
            self.assertEqual(2, len({entry.pid for entry in outcome.delta.log}))
        self.assertEqual(42, target.end())

    def test_end_while_attached(self) -> None:
        """The end of the process is told."""
        target = self.target()
        tracer = attach_to(target.pid)
        tracer.await_calls("getppid")
        self.assertEqual(42, target.end())
        outcome = tracer.finish()
        self.assertEqual(Ended(exit_code=42), outcome.ending)
        self.assertEqual("exited with 42", outcome.delta.processes[target.pid].ending)

    def test_signal(self) -> None:
        """A signal is passed on to the process."""
        target = self.target()
        tracer = attach_to(target.pid)
        tracer.tell(Deliver(signal.SIGTERM))
        target.process.wait()
        self.assertEqual(Ended(exit_signal=signal.SIGTERM), tracer.finish().ending)

    def test_stopped(self) -> None:
        """A process that is stopped is not woken."""
        target = self.target()
        os.kill(target.pid, signal.SIGSTOP)
        os.waitpid(target.pid, os.WUNTRACED)
        tracer = attach_to(target.pid)
        tracer.tell(Detach())
        self.assertEqual({}, tracer.finish().counts)
        self.assertEqual("T (stopped)", target.status("State"))
        os.kill(target.pid, signal.SIGCONT)

    def test_call_in_progress(self) -> None:
        """A call that began before we came is counted without a duration."""
        target = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        while not Path(f"/proc/{target.pid}/syscall").read_text().startswith("0 "):
            os.sched_yield()
        tracer = attach_to(target.pid)
        target.communicate()
        outcome = tracer.finish()
        reads = outcome.delta.calls["read"]
        self.assertEqual((1, 0), (reads.count, reads.timed))
        self.assertEqual(1, outcome.delta.ledger.untimed_calls)

    def test_children(self) -> None:
        """Children that exist already are traced, unless that is not wanted."""
        shell = Target.begin("sh", "-c", f"{program('busy')} <&0; exit 42")
        self.addCleanup(shell.process.communicate)
        self.addCleanup(shell.process.kill)
        tracer = attach_to(shell.pid)
        tracer.await_calls("getppid")
        tracer.tell(Detach())
        tracer.finish()
        alone = attach_to(shell.pid, follow_children=False)
        self.assertEqual(42, shell.end())
        self.assertNotIn("getppid", alone.finish().counts)

    def test_tracer_killed(self) -> None:
        """A process does not notice how its tracer ends, and nor does one whose service is gone."""
        target = self.target()
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
            tracer = attach_to(target.pid)
            tracer.await_calls("getppid")
            tracer.process.send_signal(number)
            tracer.finish()
        tracer = attach_to(target.pid)
        tracer.leave_alone()
        self.assertEqual(Ended(), tracer.finish().ending)
        self.assertEqual(42, target.end())

    def test_nobody(self) -> None:
        """A process that does not exist, or that has ended, is named."""
        gone = subprocess.Popen(["true"])
        os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
        job = Attach((gone.pid,), options=TraceOptions(backend="ebpf"))
        ended = run(job).ending
        gone.wait()
        absent = run(job).ending
        assert isinstance(ended, Failed)
        assert isinstance(absent, Failed)
        self.assertIn("has ended already", ended.message)
        self.assertEqual(f"there is no process {gone.pid}", absent.message)
