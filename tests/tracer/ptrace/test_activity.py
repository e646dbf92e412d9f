"""Tests of objects, waits and threads with ptrace."""

import os
import signal
import subprocess
import sys
import time

from syswatch.codec.plausible import implausible
from syswatch.machine.proc import call_in_progress
from syswatch.model.catalog import names
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind
from syswatch.model.timeline import COARSE_MS
from syswatch.model.times import SECOND_NS
from syswatch.tracer.naming import machine
from tests.system.servers import wait_for
from tests.tracer.contract import activity, connecting, host_names, rare, redirecting, scheduling
from tests.tracer.harness import Tracer
from tests.unmeasured import unmeasured

from .case import PtraceCase

# So many threads have no short intervals.
_ENDING_BEFORE_MANY_THREADS = """
import os, threading, time
stopped = threading.Event()
for number in range(110):
    if number % 10 == 0:
        if not os.fork():
            os._exit(0)
        os.wait()
    threading.Thread(target=stopped.wait).start()
time.sleep(0.5)
stopped.set()
"""


class ActivityTests(PtraceCase, activity.ActivityContract):
    """Rows add up."""


class DescriptorTests(PtraceCase, redirecting.DescriptorContract):
    """A reused number never credits the wrong object."""


class RareDescriptorTests(PtraceCase, rare.RareDescriptorContract):
    """Rare kinds of descriptors have objects of their own."""


class WaitTests(PtraceCase, activity.WaitContract):
    """Waits are credited to what they were for."""


class InProgressTests(PtraceCase, activity.InProgressContract):
    """Calls in progress are reported."""


class HostNameTests(PtraceCase, host_names.HostNameContract):
    """Peers are named as the target has looked them up."""


class RestartTests(PtraceCase):
    """Calls that the kernel continues after a signal."""

    def assert_sleeps(self, tracer: Tracer, pid: int) -> None:
        """Check that a process is reported to continue a sleep, and end it."""
        now = tracer.await_now(pid, "restart_syscall")
        os.kill(pid, signal.SIGKILL)
        info = tracer.finish().delta.objects[now.object]
        self.assertEqual((ObjectKind.SLEEP, "100 s"), (info.kind, info.name))

    def test_stopped(self) -> None:
        """A sleep that a stopping signal has interrupted is still a sleep."""
        tracer, write_end = self.start_with_pipe("sleep", "100")
        self.addCleanup(os.close, write_end)
        pid = tracer.await_start().process.pid
        tracer.await_now(pid, "clock_nanosleep")
        os.kill(pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGCONT)
        self.assert_sleeps(tracer, pid)

    def test_attached(self) -> None:
        """A sleep that attaching has interrupted is still a sleep."""
        target = subprocess.Popen(["sleep", "100"])
        self.addCleanup(target.wait)
        numbers = {name: number for number, name in names(machine()).items()}
        wait_for(lambda: _is_in_call(target.pid, numbers["clock_nanosleep"]))
        self.assert_sleeps(self.attach_to(target.pid), target.pid)


def _suspended_ns(tracer: Tracer) -> int:
    """Return for how long signals are known to have stopped threads."""
    deltas = (each for each in tracer.messages if isinstance(each, Delta))
    return sum(each.times.suspended_ns for delta in deltas for each in delta.threads.values())


class SuspendedTests(PtraceCase):
    """Programs that a signal stops."""

    def test_suspended(self) -> None:
        """The time until SIGCONT is not in the call that the signal has interrupted."""
        tracer, write_end = self.start_with_pipe("sleep", "100")
        self.addCleanup(os.close, write_end)
        pid = tracer.await_start().process.pid
        tracer.await_now(pid, "clock_nanosleep")
        began_ns = time.monotonic_ns()
        os.kill(pid, signal.SIGSTOP)
        while _suspended_ns(tracer) < SECOND_NS:
            tracer.receive()
        os.kill(pid, signal.SIGKILL)
        times = tracer.finish().delta.threads[pid].times
        self.assertLessEqual(times.suspended_ns, time.monotonic_ns() - began_ns)
        self.assertGreaterEqual(times.stopped_ns, times.suspended_ns)


class TimelineTests(PtraceCase):
    """The intervals of the timeline."""

    @unmeasured()
    def test_longer_intervals(self) -> None:
        """Processes that end before the intervals become longer are in longer ones, too."""
        outcome = self.trace(sys.executable, "-S", "-c", _ENDING_BEFORE_MANY_THREADS)
        deltas = [each for each in outcome.messages if isinstance(each, Delta)]
        self.assertEqual(COARSE_MS, outcome.delta.timeline.bin_ms)
        self.assertEqual([], [each.timeline for each in deltas if implausible(each)])


class ConnectTests(PtraceCase, connecting.ConnectContract):
    """Connections that fail are credited to their peers."""


class SchedulingTests(PtraceCase, scheduling.SchedulingContract):
    """The time without a CPU is the kernel's."""

    stops = 1


def _is_in_call(pid: int, number: int) -> bool:
    call = call_in_progress(pid)
    return call is not None and call.number == number
