"""Tests of calls that began before their thread was attached to, and return without a restart."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import SkipTest

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey
from syswatch.model.catalog import names
from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.naming import machine
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.ptrace import abi, observer
from syswatch.tracer.ptrace.backend import PtraceBackend
from syswatch.tracer.ptrace.calls import RUNS, Return
from syswatch.tracer.ptrace.loop import Loop
from syswatch.tracer.ptrace.registers import CallEnd, call_that_returned
from syswatch.tracer.ptrace.states import State
from tests.system.servers import is_waiting, wait_for
from tests.tracer.strace import require_tracing

ARCHITECTURE = RUNS[machine()][0]
READ = {name: number for number, name in names(machine()).items()}["read"]
BYTES = 5
# A program that has spent so much time in its own code has returned from its last call.
_COMPUTES = 20
_READS = "import os\nprint(flush=True)\nos.read(0, 100)"


class InterruptedTests(SynchronousTestCase):
    """The exit of such a call is reported without its entry."""

    def loop(self, *, objects: bool) -> Loop:
        """Return a loop that traces every call and never flushes."""
        control_fd, outbox_fd = os.pipe()
        for descriptor in (control_fd, outbox_fd):
            self.addCleanup(os.close, descriptor)
        options = TraceOptions(colocate=False, objects=objects)
        context = Context(
            RunCommand(("true",), options=options), Outbox(outbox_fd), Control(control_fd)
        )
        backend = PtraceBackend(context)
        backend.prepare()
        backend._loop.recorder.start()
        return backend._loop

    def test_object(self) -> None:
        """It is credited to its object with its bytes, and logged with its arguments."""
        with tempfile.NamedTemporaryFile() as file:
            for objects in (True, False):
                loop, pid = self.loop(objects=objects), os.getpid()
                thread = loop.lifecycle.begin(pid)
                thread.interrupted, thread.arguments = READ, (file.fileno(), 0, 100, 0, 0, 0)
                loop.observer.finish_unknown(thread, ARCHITECTURE, Return(BYTES, failed=False))
                delta = loop.recorder.finish()
                self.assertEqual(1, delta.calls["read"].count)
                self.assertEqual(f"{file.fileno()}, NULL, 100", delta.log[0].args)
                found = [each for each, info in delta.objects.items() if info.name == file.name]
                self.assertEqual(int(objects), len(found))
                for number in found:
                    row = delta.activity[ActivityKey(pid, pid, number, "read")]
                    self.assertEqual((1, BYTES), (row.count, row.bytes_in))

    def test_returned(self) -> None:
        """A call that has returned when its thread traps is counted, any other one is not."""
        for ended, count in ((READ, 1), (READ + 1, 0), (None, 0)):
            loop, pid = self.loop(objects=True), os.getpid()
            thread = loop.lifecycle.begin(pid)
            thread.interrupted, thread.arguments = READ, (0, 0, 100, 0, 0, 0)
            found = None if ended is None else CallEnd(ARCHITECTURE, ended, -errno.EIO)
            self.patch(observer, "call_that_returned", lambda _, found=found: found)
            loop.observer.trapped(thread)
            delta = loop.recorder.finish()
            self.assertEqual(
                [(count, count)] * count, [(t.count, t.errors) for t in delta.calls.values()]
            )
            self.assertEqual(count, delta.ledger.untimed_calls)
            self.assertIs(State.RUNNING if count else State.INTERRUPTED, thread.state)


class RegisterTests(SynchronousTestCase):
    """Registers of real programs."""

    def setUp(self) -> None:
        """Skip the tests where they cannot run."""
        require_tracing()
        if machine() != "x86_64":
            raise SkipTest("whether a call has returned is known on x86-64 only")

    def trapped(self, program: str, feed: bytes = b"") -> CallEnd | None:
        """Interrupt a program that reads or runs, just after it was fed."""
        pipe = subprocess.PIPE
        command = (sys.executable, "-I", "-S", "-c", program)
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0) as target:
            self.addCleanup(target.kill)
            assert target.stdin is not None
            assert target.stdout is not None
            target.stdout.readline()
            wait_for(lambda: is_waiting(target.pid) or user_ticks(target.pid) >= _COMPUTES)
            self.share_cpu(target.pid)
            abi.seize(target.pid, 0)
            target.stdin.write(feed)
            abi.interrupt(target.pid)
            os.waitpid(target.pid, abi.WALL)
            found = call_that_returned(target.pid)
            target.kill()
        return found

    def share_cpu(self, pid: int) -> None:
        """Let a process run only when this one waits."""
        own = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, own)
        for each in (0, pid):
            os.sched_setaffinity(each, {min(own)})
        os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))

    def test_returned(self) -> None:
        """A call that was woken before the interruption has returned, with its result."""
        # If this process loses the CPU in between, the program runs on.
        found = wait_for(lambda: self.trapped(_READS, bytes(BYTES)))
        self.assertEqual(CallEnd(ARCHITECTURE, READ, BYTES), found)

    def test_interrupted(self) -> None:
        """A call that was not will be restarted."""
        self.assertIsNone(self.trapped(_READS))

    def test_running(self) -> None:
        """A program that computes is in no call."""
        self.assertIsNone(self.trapped("print(flush=True)\nwhile True: pass"))


def user_ticks(pid: int) -> int:
    """Return the CPU time that a process has spent in its own code."""
    return int(Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2].split()[11])
