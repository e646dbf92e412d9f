"""Tests of the account of a thread, and of intervals."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.threads import ThreadTimes, Wait
from syswatch.tracer.ebpf import activity_layout as layout
from syswatch.tracer.ebpf.account import Account, Credit
from syswatch.tracer.ebpf.activity import Growth
from syswatch.tracer.ebpf.progress import InProgress
from syswatch.tracer.ebpf.thread_records import ThreadRecord
from syswatch.tracer.ebpf.threads import History

_MS = 1_000_000
_POLL = Wait(1, "poll")
_FOUND = Wait(2, "poll")
_CALL = InProgress(7, (), _POLL, 10)


def record(**fields: int) -> ThreadRecord:
    """Return the record of a thread that was born at 10."""
    plain = dict.fromkeys(ThreadRecord._fields, 0) | {"state": 1, "born_ns": 10} | fields
    return ThreadRecord(**plain)  # type: ignore[arg-type]


def blocked(since_ns: int, **fields: int) -> ThreadRecord:
    """Return the record of a thread that waits in its first call."""
    flags = layout.THREAD_IN_CALL | layout.THREAD_OFF | layout.THREAD_WAITS
    return record(flags=flags, off_since_ns=since_ns, began_ns=10, switches=1, **fields)


def total(*credits_: Credit) -> ThreadTimes:
    """Return the exact sum."""
    whole = ThreadTimes()
    for credit in credits_:
        whole += credit.exact
    return whole


class AccountTests(SynchronousTestCase):
    """One thread."""

    def test_in_progress(self) -> None:
        """A wait is reported while it lasts, and not again when it has ended."""
        account = Account(1)
        first = account.credit(blocked(12), 112, _CALL)
        self.assertEqual({_POLL: 100}, first.exact.waiting)
        self.assertEqual(2, first.exact.working_ns)
        account.add(_POLL, Growth(1, 0, 0, 0, 152, 1, 150, 0))
        second = account.credit(record(off_ns=150, switches=1), 172, None)
        self.assertEqual({_POLL: 50}, second.exact.waiting)
        self.assertEqual(162, total(first, second).wall_ns)

    def test_found_later(self) -> None:
        """A wait moves to the object that ended it, but not in the steady times."""
        account = Account(1)
        first = account.credit(blocked(12), 112, _CALL)
        account.add(_FOUND, Growth(1, 0, 0, 0, 152, 1, 150, 0))
        second = account.credit(record(off_ns=150, switches=1), 172, None)
        self.assertEqual({_POLL: -100, _FOUND: 150}, second.exact.waiting)
        waiting = total(first, second).waiting
        self.assertEqual({_FOUND: 150}, {wait: ns for wait, ns in waiting.items() if ns})
        self.assertEqual({_FOUND: 50}, second.steady.waiting)

    def test_end_not_counted_yet(self) -> None:
        """A call that has ended, but was not counted at the reading, is not forgotten."""
        account = Account(1)
        first = account.credit(blocked(12), 112, _CALL)
        second = account.credit(record(off_ns=150, switches=1), 172, None)
        self.assertEqual({}, second.exact.waiting)
        account.add(_POLL, Growth(1, 0, 0, 0, 152, 1, 150, 0))
        third = account.credit(record(off_ns=150, switches=1), 182, None)
        self.assertEqual({_POLL: 150}, total(first, second, third).waiting)
        self.assertEqual(60, second.steady.wall_ns)
        self.assertEqual(10, third.steady.wall_ns)

    def test_prolong(self) -> None:
        """A thread that stays blocked only waits longer."""
        account = Account(1)
        account.credit(blocked(12), 112, _CALL)
        self.assertTrue(account.is_blocked(blocked(12)))
        self.assertEqual(ThreadTimes(waiting={_POLL: 40}), account.prolong(152))
        self.assertFalse(account.is_blocked(record(off_ns=150, switches=1)))
        account.add(_POLL, Growth(1, 0, 0, 0, 152, 1, 150, 0))
        last = account.credit(record(off_ns=150, switches=1), 172, None)
        self.assertEqual({_POLL: 10}, last.exact.waiting)

    def test_preempted(self) -> None:
        """A thread without a CPU is ready."""
        account = Account(1)
        lost = record(flags=layout.THREAD_OFF, off_since_ns=50, switches=1)
        times = account.credit(lost, 110, None).exact
        self.assertEqual((40, 60), (times.user_ns, times.ready_ns))

    def test_ended(self) -> None:
        """The time ends with the thread."""
        times = Account(1).credit(record(state=2, ended_ns=60), 500, None).exact
        self.assertEqual(50, times.wall_ns)


class HistoryTests(SynchronousTestCase):
    """Intervals."""

    def test_parts(self) -> None:
        """Times are divided at the ends of intervals, and nothing is lost."""
        history = History()
        times = ThreadTimes(user_ns=7, waiting={_POLL: 20 * _MS})
        history.add(5, times, 15 * _MS, 35 * _MS)
        bins = history.take().bins
        self.assertEqual([1, 2, 3], sorted(bins))
        waits = [bins[at][5].waiting_ns for at in (1, 2, 3)]
        self.assertEqual([5 * _MS, 10 * _MS, 5 * _MS], waits)
        self.assertEqual(7, sum(bin_[5].user_ns for bin_ in bins.values()))
        self.assertEqual({}, history.take().bins)

    def test_coarse(self) -> None:
        """After ten seconds, or with many threads, intervals are long."""
        for age_ns, threads in ((10_000 * _MS, 1), (0, 65)):
            history = History()
            history.add(5, ThreadTimes(user_ns=2), 0, 2)
            history.begin(1, 1, 64)
            self.assertTrue(history.fine)
            history.begin(age_ns + 1, 1, threads)
            timeline = history.take()
            self.assertEqual((1000, 2), (timeline.bin_ms, timeline.bins[0][5].user_ns))

    def test_averages(self) -> None:
        """Seconds that were read together have their average, and are counted."""
        history = History(fine=False)
        history.begin(1000 * _MS, 0, 200)
        history.begin(2999 * _MS, 0, 200)
        self.assertEqual(0, history.take_averaged_s())
        history.begin(6000 * _MS, 0, 200)
        self.assertEqual((3, 0), (history.take_averaged_s(), history.take_averaged_s()))
        for tid in range(1, 501):
            history.add(tid, ThreadTimes(user_ns=tid * 3000), 3000 * _MS, 6000 * _MS)
        bins = history.take().bins
        self.assertEqual([3, 4, 5], sorted(bins))
        for times in bins.values():
            self.assertLessEqual(len(times), 100)
            self.assertEqual(500_000, times[500].user_ns)
            whole_ns = sum(each.user_ns for each in times.values())
            self.assertEqual(500 * 501 // 2 * 1000, whole_ns)

    def test_many(self) -> None:
        """An interval keeps a limited number of threads, and all of the time."""
        history = History()
        for tid in range(1, 501):
            history.add(tid, ThreadTimes(user_ns=tid), 0, 1)
        (interval,) = history.take().bins.values()
        self.assertLessEqual(len(interval), 100)
        self.assertEqual(500 * 501 // 2, sum(times.user_ns for times in interval.values()))
