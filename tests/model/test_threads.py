"""Tests of threads: the wall time is the sum of its parts, whatever is added or cut."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectKind, kind_of_other
from syswatch.model.table import Table
from syswatch.model.threads import (
    OTHER_THREADS,
    OTHER_WAITS,
    THREADS,
    Threads,
    ThreadTally,
    ThreadTimes,
    Wait,
)
from tests.strategies import thread_tallies, thread_times

_many_waits = st.dictionaries(
    st.builds(Wait, st.integers(1, 400), st.sampled_from(["read", "poll"])),
    st.integers(0, 10**9),
    max_size=300,
).map(lambda waiting: ThreadTimes(waiting=waiting))
_threads = st.dictionaries(st.integers(1, 12), thread_tallies, max_size=8)


class TimesTests(SynchronousTestCase):
    """The times of a thread."""

    @given(thread_times, thread_times, thread_times)
    def test_addition(self, one: ThreadTimes, two: ThreadTimes, three: ThreadTimes) -> None:
        """Times are added in any order, and so is the wall time."""
        self.assertEqual((one + two) + three, three + (two + one))
        self.assertEqual(one, one + ThreadTimes())
        self.assertEqual(one.wall_ns + two.wall_ns, (one + two).wall_ns)

    @given(_many_waits, _many_waits)
    def test_many_waits(self, one: ThreadTimes, two: ThreadTimes) -> None:
        """The shortest waits are added to others, so that the wall time stays exact."""
        total = one + two

        self.assertEqual(one.wall_ns + two.wall_ns, total.wall_ns)
        self.assertLessEqual(len(total.waiting), 201)
        if len(one.waiting.keys() | two.waiting.keys()) > 200:
            self.assertIn(OTHER_WAITS, total.waiting)

    def test_kinds_of_many_waits(self) -> None:
        """Of the shortest waits, the kind of the object is kept if the call implies it."""
        calls = ("wait4", "waitid@i386", "vfork", "nanosleep", "read")
        kinds = (ObjectKind.CHILD,) * 3 + (ObjectKind.SLEEP, ObjectKind.NONE)
        waiting = {Wait(1000 + at, calls[at % 5]): at for at in range(300)}

        total = ThreadTimes() + ThreadTimes(waiting=waiting)

        kept = {wait.call: kind_of_other(wait.object) for wait in total.waiting if wait.object < 64}
        self.assertEqual(dict(zip(calls, kinds, strict=True)), kept)
        self.assertEqual(sum(waiting.values()), total.waiting_ns)

    @given(thread_times)
    def test_renaming(self, times: ThreadTimes) -> None:
        """Waits for objects that become one are added."""
        renamed = times.renamed({wait.object: 2 for wait in times.waiting})

        self.assertEqual(times.wall_ns, renamed.wall_ns)
        self.assertLessEqual({wait.object for wait in renamed.waiting}, {2})


class TallyTests(SynchronousTestCase):
    """Threads with their facts."""

    def test_later_facts(self) -> None:
        """A new thread with the ID of an ended one has not ended."""
        ended = ThreadTally(7, "old", ThreadTimes(user_ns=1), 2, 1, has_ended=True)
        new = ThreadTally(8, "new", ThreadTimes(user_ns=4), 3)

        self.assertEqual(ThreadTally(8, "new", ThreadTimes(user_ns=5), 5, 1), ended + new)
        self.assertEqual("old", (ended + ThreadTally()).comm)

    def test_others(self) -> None:
        """The row of the threads beyond the limit belongs to no process, and has not ended."""
        small = Table(4, THREADS.add, THREADS.coarser, THREADS.weight, THREADS.blurred)
        several = {
            tid: ThreadTally(tid, f"job{tid}", ThreadTimes(user_ns=1), has_ended=True)
            for tid in range(1, 9)
        }
        others = small.sum(several, {9: ThreadTally(9, "last")})[OTHER_THREADS]
        self.assertEqual((0, "", False), (others.pid, others.comm, others.has_ended))

    @given(_threads, _threads)
    def test_limit(self, one: Threads, two: Threads) -> None:
        """Threads beyond the limit are added to one row, so that the sums stay exact."""
        small = Table(4, THREADS.add, THREADS.coarser, THREADS.weight)

        total = small.sum(one, two)

        self.assertEqual(_wall_ns(one) + _wall_ns(two), _wall_ns(total))
        self.assertEqual(_calls(one) + _calls(two), _calls(total))
        self.assertLessEqual(len(total), 5)
        if len(one.keys() | two.keys()) > 4:
            self.assertIn(OTHER_THREADS, total)


def _wall_ns(threads: Threads) -> int:
    return sum(tally.times.wall_ns for tally in threads.values())


def _calls(threads: Threads) -> int:
    return sum(tally.calls for tally in threads.values())
