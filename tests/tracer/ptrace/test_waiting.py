"""Tests that stops are handled alike, by the compiled module and by the loop."""

import sys
from collections.abc import Mapping
from importlib.util import find_spec

from twisted.trial.unittest import SkipTest

from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.messages import RunCommand
from tests.tracer.harness import TRACER, Outcome, start

from .case import PtraceCase

IS_COMPILED = find_spec("syswatch.tracer.ptrace.ordinary_stops") is not None
_RUN = """
import runpy
sys.argv[0] = "tracer"
runpy.run_module("syswatch.tracer", run_name="__main__", alter_sys=True)
"""
_WITHOUT_MODULE = """
import sys
sys.modules["syswatch.tracer.ptrace.ordinary_stops"] = None
"""
# Prints how many entries the loop has handled.
_COUNTING = """
import sys
from syswatch.tracer.ptrace.loop import Loop
entries, enter, follow = [], Loop.enter_call, Loop._follow
def enter_call(*given):
    entries.append(1)
    enter(*given)
def follow_and_print(loop):
    follow(loop)
    print(len(entries), file=sys.stderr)
Loop.enter_call, Loop._follow = enter_call, follow_and_print
"""
INTERPRETED = (sys.executable, "-c", _WITHOUT_MODULE + _RUN)
COUNTED = (sys.executable, "-c", _COUNTING + _RUN)
BLOCKS = 20_000
DD = ("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "status=none", f"count={BLOCKS}")
# Failures, waits, a second thread, copied descriptors, closed ones, and bytes to and from a pipe.
MIXED = (
    sys.executable,
    # Alone: without what else may run in an interpreter, such as a measurement of coverage.
    *("-I", "-S", "-c"),
    """
import os, threading, time
ends = os.pipe()
again = os.dup(ends[1])
def write():
    for _ in range(300):
        os.write(again, b"four")
    time.sleep(0.05)
    os.write(again, b"end")
thread = threading.Thread(target=write)
thread.start()
taken = 0
while taken < 1203:
    taken += len(os.read(ends[0], 4))
thread.join()
for number in range(300):
    try:
        os.close(1000 + number)
    except OSError:
        os.getppid()
os.close(again)
""",
)
# The number of others depends on which thread was faster.
_FIXED = frozenset({"close", "dup", "getppid", "ioctl", "lseek", "newfstatat", "openat", "write"})


class OrdinaryStopTests(PtraceCase):
    """The numbers of a trace."""

    def follow(self, tracer: tuple[str, ...], *command: str, **options: object) -> Outcome:
        """Trace a command in one of the two ways."""
        options = {"log_rate": 0, **options}
        return start(RunCommand(command, options=self.options(**options)), tracer=tracer).finish()

    def sums(self, outcome: Outcome) -> Mapping[tuple[str, str], Sums]:
        """Return the sums by kind of object and call, without times."""
        totals: dict[tuple[str, str], Sums] = {}
        for key, row in outcome.delta.activity.items():
            info = outcome.delta.objects.get(key.object)
            place = (info.kind.name if info else "", key.call)
            counted = Sums(row.count, row.errors, row.bytes_in, row.bytes_out)
            totals[place] = totals.get(place, NO_SUMS) + counted
        return totals

    def test_same(self) -> None:
        """Calls, errors, bytes and objects are the same in both ways."""
        if not IS_COMPILED:
            raise SkipTest("syswatch was installed without a C compiler")
        for command in (DD, MIXED):
            for options in ({}, {"objects": False}, {"per_process": True}, {"trace": "!brk"}):
                ways = [self.follow(way, *command, **options) for way in (TRACER, INTERPRETED)]
                for counts in zip(*(self.comparable(way.counts) for way in ways), strict=True):
                    self.assertEqual(counts[0], counts[1], (command[0], options))
                by_object, expected = map(self.sums, ways)
                for place in by_object.keys() | expected.keys():
                    if place[1] in _FIXED:
                        self.assertEqual(expected.get(place), by_object.get(place), place)

    def comparable(self, counts: Mapping[str, tuple[int, int]]) -> list[tuple[str, int, int]]:
        """Return the calls whose number is always the same."""
        return sorted((name, *each) for name, each in counts.items() if name in _FIXED)

    def test_interpreted(self) -> None:
        """Without the module, all calls are counted with their times."""
        outcome = self.follow(INTERPRETED, *DD)
        read = outcome.delta.calls["read"]
        self.assertLessEqual(BLOCKS, read.count)
        self.assertEqual(read.count, read.histogram.total)

    def test_compiled(self) -> None:
        """With it, the loop handles few stops, and all calls are counted with their times."""
        if not IS_COMPILED:
            raise SkipTest("syswatch was installed without a C compiler")
        outcome = self.follow(COUNTED, *DD)
        read = outcome.delta.calls["read"]
        self.assertLessEqual(BLOCKS, read.count)
        self.assertEqual(read.count, read.histogram.total)
        self.assertLess(int(outcome.errors), BLOCKS // 10)
