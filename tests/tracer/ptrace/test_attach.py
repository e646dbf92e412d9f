"""Processes that run already: attached to, let go, and none the worse for it."""

import os
import signal
import subprocess
from pathlib import Path
from typing import IO

import attrs
from twisted.trial.unittest import TestCase

from syswatch.model.messages import Attach, Detach, Ended, Failed, TraceOptions

from .harness import PATIENCE_S, Tracer, run, start
from .programs import program
from .strace import require_tracing


@attrs.frozen
class Target:
    """A program of ours that makes calls until its input ends, and ends with 42 then."""

    process: "subprocess.Popen[bytes]"

    @classmethod
    def begin(cls, *command: str) -> "Target":
        """Start it, and wait until it is at work."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        target = cls(process)
        assert target.output.readline() == b"ready\n"
        return target

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    @property
    def output(self) -> IO[bytes]:
        """What it writes."""
        assert self.process.stdout is not None
        return self.process.stdout

    def status(self, field: str) -> str:
        """Return what the kernel says of it."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":\t")
            if name == field:
                return value
        raise KeyError(field)

    def end(self) -> int:
        """Let it end as it does when nobody has disturbed it."""
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode


def attach_to(*pids: int, **options: object) -> Tracer:
    """Start a tracer that attaches."""
    tracer = start(Attach(pids, options=TraceOptions(**options)))  # type: ignore[arg-type]
    tracer.await_start()
    return tracer


class AttachTests(TestCase):
    """Attaching and letting go."""

    def setUp(self) -> None:
        """Find out first whether tracing is allowed."""
        require_tracing()

    def target(self, *arguments: str) -> Target:
        """Start a target that does not outlive the test."""
        target = Target.begin(program("busy"), *arguments)
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        return target

    def test_busy(self) -> None:
        """A busy process is counted, let go, and ends as it would have."""
        target = self.target()
        tracer = attach_to(target.pid)
        tracer.await_calls("getppid", 100)
        tracer.tell(Detach())
        outcome = tracer.finish()
        self.assertEqual(Ended(), outcome.ending)
        self.assertEqual("0", target.status("TracerPid"))
        self.assertEqual(42, target.end())

    def test_threads(self) -> None:
        """All threads of a process are taken hold of."""
        target = self.target("with a thread")
        tracer = attach_to(target.pid)
        tracer.await_calls("getppid", 1000)
        tracer.tell(Detach())
        outcome = tracer.finish()
        self.assertEqual(2, len({entry.pid for entry in outcome.delta.log}))
        self.assertEqual({target.pid}, set(outcome.delta.processes))
        self.assertEqual(42, target.end())

    def test_ten_times(self) -> None:
        """A process can be attached to again and again."""
        target = self.target("with a thread")
        for _ in range(10):
            tracer = attach_to(target.pid)
            tracer.await_calls("getppid")
            tracer.tell(Detach())
            self.assertEqual(Ended(), tracer.finish().ending)
        self.assertEqual(42, target.end())

    def test_end_while_attached(self) -> None:
        """The end of the process is told."""
        target = self.target()
        tracer = attach_to(target.pid)
        tracer.await_calls("getppid")
        self.assertEqual(42, target.end())
        self.assertEqual(Ended(exit_code=42), tracer.finish().ending)

    def test_stopped(self) -> None:
        """A process that is stopped is attached to, and left, without being woken."""
        target = self.target()
        os.kill(target.pid, signal.SIGSTOP)
        os.waitpid(target.pid, os.WUNTRACED)
        tracer = attach_to(target.pid)
        tracer.tell(Detach())
        outcome = tracer.finish()
        self.assertEqual(Ended(), outcome.ending)
        self.assertEqual({}, outcome.counts)
        self.assertEqual("T (stopped)", target.status("State"))
        os.kill(target.pid, signal.SIGCONT)
        self.assertEqual(42, target.end())

    def test_call_in_progress(self) -> None:
        """A call that began before we came is counted without a duration."""
        target = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert target.stdin is not None
        assert target.stdout is not None
        target.stdin.write(b"x")
        target.stdin.flush()
        target.stdout.read(1)
        # It is blocked in read now, or will be in a moment: its next call is one in any case.
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
        self.assertEqual(1, len(set(tracer.finish().delta.processes) - {shell.pid}))
        alone = attach_to(shell.pid, follow_children=False)
        self.assertEqual(42, shell.end())
        self.assertNotIn("getppid", alone.finish().counts)

    def test_tracer_killed(self) -> None:
        """A process survives the death of its tracer, whatever it was doing."""
        target = self.target("with a thread")
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
            tracer = attach_to(target.pid)
            tracer.await_calls("getppid")
            tracer.process.send_signal(number)
            tracer.finish()
            self.assertEqual("0", target.status("TracerPid"))
        self.assertEqual(42, target.end())

    def test_service_gone(self) -> None:
        """A tracer that nobody listens to lets everything go."""
        target = self.target()
        tracer = attach_to(target.pid)
        tracer.await_calls("getppid")
        tracer.leave_alone()
        self.assertEqual(Ended(), tracer.finish().ending)
        self.assertEqual(42, target.end())

    def test_cpus_given_back(self) -> None:
        """A target that was let go may use the CPUs that it could before."""
        target = self.target("with a thread")
        before = os.sched_getaffinity(target.pid)
        for goodbye in (signal.SIGTERM, signal.SIGKILL):
            tracer = attach_to(target.pid)
            tracer.await_calls("getppid", 5000)
            tracer.process.send_signal(goodbye)
            tracer.finish()
            # After a violent death a guard does it, a moment later.
            while os.sched_getaffinity(target.pid) != before:
                os.sched_yield()
        self.assertEqual(42, target.end())


class RefusalTests(TestCase):
    """What cannot be attached to is refused in words that help."""

    def setUp(self) -> None:
        """Find out first whether tracing is allowed."""
        require_tracing()

    def refusal(self, pid: int) -> str:
        """Return why a process cannot be attached to."""
        ending = run(Attach((pid,))).ending
        assert isinstance(ending, Failed)
        return ending.message

    def test_nobody(self) -> None:
        """A process that does not exist is named."""
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.assertEqual(f"there is no process {gone.pid}", self.refusal(gone.pid))

    def test_traced_already(self) -> None:
        """The other tracer is named."""
        target = Target.begin(program("busy"))
        self.addCleanup(target.end)
        tracer = attach_to(target.pid)
        said = self.refusal(target.pid)
        self.assertIn(f"traced by process {tracer.process.pid} already", said)
        tracer.tell(Detach())
        tracer.finish()

    def test_zombie(self) -> None:
        """A process that has ended but was not waited for says so."""
        target = subprocess.Popen(["true"])
        os.waitid(os.P_PID, target.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("has ended already", self.refusal(target.pid))
        target.wait()

    def test_itself(self) -> None:
        """A tracer does not try to trace itself."""
        tracer = start(Attach((1 << 22,)))
        self.assertIsInstance(tracer.finish().ending, Failed)
