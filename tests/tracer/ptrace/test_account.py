"""Tests of the account of a thread."""

from functools import reduce
from operator import add

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.threads import ThreadTimes, Wait
from syswatch.tracer.ptrace.account import Account, Bins, Spent
from syswatch.tracer.ptrace.schedule import Usage
from syswatch.tracer.ptrace.waits import Split

MS = 1_000_000
BINS = Bins(10 * MS, 3 * MS)
FILE, SOCKET = Wait(100, "read"), Wait(200, "read")
AMOUNTS = st.integers(0, 300 * MS)


def settle(account: Account, now_ns: int, spent: Spent, in_progress_ns: int = 0) -> ThreadTimes:
    """Credit an account; return the sum of all intervals and of what was moved."""
    parts = account.settle(now_ns, spent, in_progress_ns, BINS)
    return reduce(add, parts.values(), ThreadTimes(waiting=account.take_moves()))


class AccountTests(SynchronousTestCase):
    """The parts of the time of a thread."""

    @given(st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS, st.booleans()), max_size=8))
    def test_wall_time(self, flushes: list[tuple[int, int, int, int, bool]]) -> None:
        """Whatever the statistics say, the parts add up to the wall time."""
        account, now_ns, usage = Account(5 * MS), 5 * MS, Usage()
        for length, duration, run, ready, has_usage in flushes:
            before_ns, now_ns = now_ns, now_ns + length
            usage = Usage(usage.run_ns + run, usage.ready_ns + ready, usage.switches + 3)
            if duration <= length:
                split = Split(duration // 2, duration // 4)
                account.call_returned(before_ns, before_ns + duration, FILE, split)
            times = settle(account, now_ns, Spent(1, duration, usage if has_usage else None, run))
            self.assertEqual(length, times.wall_ns)
            parts = (times.user_ns, times.working_ns, times.ready_ns, times.stopped_ns)
            self.assertGreaterEqual(min(*parts, *times.waiting.values(), 0), 0)

    def test_parts(self) -> None:
        """A thread that computes, reads and waits."""
        account = Account(0)
        account.call_returned(10 * MS, 40 * MS, FILE, Split(25 * MS, 2 * MS))
        # 30 ms in calls of which 3 ms were work, 60 ms of its own, and 10 ms that were taken.
        times = settle(account, 100 * MS, Spent(1, 30 * MS, Usage(63 * MS, 2 * MS, 3), 1 * MS))
        expected = ThreadTimes(60 * MS, 3 * MS, 2 * MS, 10 * MS, {FILE: 25 * MS})
        self.assertEqual(expected, times)

    def test_suspended(self) -> None:
        """The time in which a signal had stopped a thread is a part of the time stopped."""
        for usage in (Usage(60 * MS, 0, 1), None):
            account = Account(0)
            times = settle(account, 100 * MS, Spent(0, 0, usage, 10 * MS, 30 * MS))
            expected = ThreadTimes(60 * MS, stopped_ns=40 * MS, suspended_ns=30 * MS)
            self.assertEqual(expected, times)

    def test_suspended_at_most(self) -> None:
        """It is not longer than the time stopped, whatever was measured."""
        times = settle(Account(0), 100 * MS, Spent(0, 0, Usage(90 * MS), 0, 30 * MS))
        self.assertEqual((10 * MS, 10 * MS), (times.stopped_ns, times.suspended_ns))

    def test_in_progress(self) -> None:
        """A call in progress is credited once, and in the end to what it waited for."""
        account, usage = Account(0), Usage(1 * MS, 0, 1)
        account.call_goes_on(0, 100 * MS, FILE, Split(99 * MS))
        first = settle(account, 100 * MS, Spent(0, 0, usage, 0), 100 * MS)
        self.assertEqual(ThreadTimes(working_ns=1 * MS, waiting={FILE: 99 * MS}), first)
        account.call_returned(0, 150 * MS, SOCKET, Split(149 * MS))
        second = settle(account, 150 * MS, Spent(1, 150 * MS, usage, 0))
        self.assertEqual({FILE: -99 * MS, SOCKET: 149 * MS}, dict(second.waiting))
        self.assertEqual(150 * MS, (first + second).wall_ns)

    def test_intervals(self) -> None:
        """A wait lies in the intervals in which it was; the rest is spread over the others."""
        account = Account(7 * MS)
        account.call_returned(17 * MS, 37 * MS, FILE, Split(20 * MS))
        spent = Spent(1, 20 * MS, Usage(20 * MS, 0, 2), 0)
        bins = account.settle(47 * MS, spent, 0, BINS)
        # The intervals begin at 7 ms, 17 ms, and so on.
        self.assertEqual([1, 2, 3, 4], list(bins))
        self.assertEqual([10 * MS, 0, 0, 10 * MS], [times.user_ns for times in bins.values()])
        self.assertEqual({FILE: 10 * MS}, dict(bins[2].waiting))

    def test_ready(self) -> None:
        """A thread that is switched out by others is ready; the moments after stops are not."""
        account = Account(0)
        times = settle(account, 100 * MS, Spent(0, 0, Usage(50 * MS, 50 * MS, 40), 0))
        self.assertEqual(ThreadTimes(50 * MS, 0, 50 * MS), times)
        self.assertFalse(account.is_ready)
        account = Account(0)
        spent = Spent(1000, 10 * MS, Usage(20 * MS, 30 * MS, 2000), 60 * MS)
        times = settle(account, 100 * MS, spent)
        self.assertEqual((0, 70 * MS), (times.ready_ns, times.stopped_ns))
