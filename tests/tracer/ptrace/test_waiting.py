"""Tests that stops are handled alike, by the compiled module and by the loop."""

import ctypes
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.messages import RunCommand
from syswatch.tracer.ptrace import waiting
from syswatch.tracer.ptrace.abi import WALL
from syswatch.tracer.ptrace.threads import Process, Thread
from syswatch.tracer.ptrace.waiting import Turns, Waiting
from tests.tracer.harness import TRACER, Outcome, start
from tests.unmeasured import unmeasured

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
# Asks for files, and opens them: by whole paths, by relative ones, and by descriptors.
TURNS = 200
FILES = (
    sys.executable,
    *("-I", "-S", "-c"),
    f"""
import ctypes, mmap, os, sys
folder = sys.argv[1]
os.chdir(folder)
library = ctypes.CDLL(None)
descriptor = os.open(folder, os.O_RDONLY)
def attempt(function, *given, **where):
    try:
        return function(*given, **where)
    except OSError:
        return None
for turn in range({TURNS}):
    for name in ("here", "none"):
        attempt(os.stat, name)
        attempt(os.stat, os.path.join(folder, name))
        attempt(os.stat, name, dir_fd=descriptor)
        attempt(os.readlink, name)
        library.open(None, os.O_RDONLY)
        library.access(None, os.R_OK)
        attempt(os.stat, f"{{turn}}/{{name}}")
        opened = attempt(os.open, name, os.O_RDONLY)
        if opened is not None:
            os.stat(opened)
            mmap.mmap(opened, 1, access=mmap.ACCESS_READ)
            os.close(opened)
        opened = attempt(os.open, name, os.O_RDONLY, dir_fd=descriptor)
        if opened is not None:
            os.close(opened)
""",
)
# The number of others depends on which thread was faster.
_FIXED = frozenset({"close", "dup", "getppid", "ioctl", "lseek", "newfstatat", "openat", "write"})


class TurnTests(SynchronousTestCase):
    """The order in which threads are waited for, without the compiled module."""

    def setUp(self) -> None:
        """Replace the kernel by one that reports the newest of the threads that have stopped."""
        process = Process(1, 0, "test")
        self.threads = {tid: Thread(tid, process) for tid in (1, 2, 3)}
        self.stopped = {1, 2, 3}
        self.now_ns = 1 << 40
        self.patch(waiting, "waitpid", self.waitpid)
        self.patch(waiting, "_monotonic_ns", lambda: self.now_ns)

    def waitpid(self, pid: int, _status: object, options: int) -> int:
        """Report a stop; a wait that blocks takes a second, then all threads have stopped."""
        if pid > 0:
            self.assertEqual(WALL | os.WNOHANG, options)
            return pid if pid in self.stopped else -1 * (pid not in self.threads)
        if not self.stopped and not options & os.WNOHANG:
            self.now_ns += 1_000_000_000
            self.stopped = {1, 2, 3}
        return max(self.stopped, default=0)

    def turns(self, count: int) -> list[int]:
        """Return which threads were found stopped in so many turns."""
        turns, found = Turns(self.threads), []
        for _ in range(count):
            found.append(turns.stopped(ctypes.c_int(), self.now_ns))
            self.now_ns += waiting._TURN_NS
        return found

    def test_all(self) -> None:
        """Each thread has a turn, also one that was added or has ended meanwhile."""
        self.assertEqual([1, 2, 3, 1, 2], self.turns(5))
        self.threads[4] = self.threads[3]
        del self.threads[2]
        self.stopped = {1, 2, 4}
        self.assertEqual([1, 0, 4, 1, 0, 4], self.turns(6))
        self.threads.clear()
        self.assertEqual([0], self.turns(1))

    def test_length(self) -> None:
        """A thread that has stopped keeps its turn, also while it runs; others have none."""
        turns, status = Turns(self.threads), ctypes.c_int()
        self.stopped = {2, 3}
        self.assertEqual([0, 2, 2], [turns.stopped(status, self.now_ns) for _ in range(3)])
        self.stopped = {3}
        self.assertEqual(0, turns.stopped(status, self.now_ns + waiting._TURN_NS - 1))
        self.assertEqual(3, turns.stopped(status, self.now_ns + waiting._TURN_NS))

    def test_idle(self) -> None:
        """Threads have turns only if stops have been pending for some time."""
        self.stopped = set()
        wait = Waiting.for_all(self.threads).wait
        self.assertEqual([3, 3], [wait(), wait()])
        self.now_ns += waiting._TURN_NS
        # The first wait has looked at thread 1, as nothing was known yet.
        self.assertEqual([2, 2], [wait(), wait()])
        self.stopped = set()
        self.assertEqual([3, 3], [wait(), wait()])


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

    @unmeasured()
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

    @unmeasured()
    def test_paths(self) -> None:
        """So are paths that are asked for, or opened; few entries are left to the loop."""
        if not IS_COMPILED:
            raise SkipTest("syswatch was installed without a C compiler")
        folder = os.path.realpath(self.mktemp())
        Path(folder).mkdir()
        Path(folder, "here").write_text("a")
        ways = [self.follow(way, *FILES, folder) for way in (COUNTED, INTERPRETED)]
        by_path, expected = (self.sums_within(folder, way) for way in ways)
        self.assertEqual(expected, by_path)
        for name, calls in (("here", 3), ("none", 5)):
            path = f"{folder}/{name}"
            found = [row for (place, _), row in by_path.items() if place == path]
            self.assertLessEqual(calls * TURNS, sum(row.count for row in found), path)
        self.assertEqual(TURNS, by_path[f"{folder}/here", "mmap"].count)
        self.assertEqual(2 * TURNS, by_path[f"{folder}/none", "openat"].errors)
        for name in ("openat", "access"):
            self.assertEqual(*(way.counts[name] for way in ways))
        for tried in ("paths", "failed_paths"):
            compiled, interpreted = (getattr(way.delta, tried) for way in ways)
            self.assertEqual(2 * TURNS, compiled["none"])
            self.assertEqual(interpreted, compiled)
        calls = sum(row.count for row in by_path.values())
        self.assertLess(int(ways[0].errors), calls // 4)

    def sums_within(self, folder: str, outcome: Outcome) -> Mapping[tuple[str, str], Sums]:
        """Return the sums by path and call, of paths within a directory."""
        totals: dict[tuple[str, str], Sums] = {}
        for key, row in outcome.delta.activity.items():
            info = outcome.delta.objects.get(key.object)
            if info is not None and info.name.startswith(folder):
                counted = Sums(row.count, row.errors, row.bytes_in, row.bytes_out)
                totals[info.name, key.call] = totals.get((info.name, key.call), NO_SUMS) + counted
        return totals

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
