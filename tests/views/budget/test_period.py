"""Tests of the part of a snapshot in a range of time."""

import itertools
from functools import reduce
from operator import add

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta, Span
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTally, ThreadTimes
from syswatch.model.timeline import COARSE_MS, INTERVAL, Timeline
from syswatch.model.times import SECOND_NS
from syswatch.views.budget.budget import budget
from syswatch.views.budget.objects import ObjectSort, objects
from syswatch.views.budget.period import ALWAYS, Period, with_objects, within
from syswatch.views.budget.scope import threads_of
from syswatch.views.budget.slowest import slowest
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.threads import threads
from syswatch.views.budget.verdict import verdict
from tests.made_trace import BEGIN_S, DATABASE, MS, snapshot_of
from tests.web.served import snapshot_of as snapshot_of_deltas

_SECONDS = 12
_WHOLE = snapshot_of(_SECONDS, done=False)


def _seconds(begin: int, end: int) -> Period:
    return Period((BEGIN_S + begin) * 1000, (BEGIN_S + end) * 1000)


class PeriodTests(SynchronousTestCase):
    """A range of the made-up trace, in which every second is alike."""

    def test_no_limit(self) -> None:
        """Without a range, a snapshot is as it was."""
        self.assertIs(_WHOLE, within(_WHOLE, ALWAYS))
        self.assertIs(_WHOLE, with_objects(_WHOLE))

    def test_budget(self) -> None:
        """The budget of three seconds has a quarter of that of twelve."""
        part = budget(within(_WHOLE, _seconds(4, 7)))
        whole = budget(_WHOLE)
        self.assertEqual({key: ns // 4 for key, ns in whole.parts.items()}, dict(part.parts))
        self.assertEqual(whole.threads, part.threads)

    @given(st.lists(st.integers(0, _SECONDS), max_size=4))
    def test_parts_add_up(self, cuts: list[int]) -> None:
        """However a trace is divided, the times of its parts add up to those of the whole."""
        edges = sorted({0, _SECONDS, *cuts})
        parts = [
            budget(within(_WHOLE, _seconds(begin, end))).parts
            for begin, end in itertools.pairwise(edges)
        ]
        whole = budget(_WHOLE).parts
        self.assertEqual(
            dict(whole), {key: reduce(add, (part.get(key, 0) for part in parts)) for key in whole}
        )

    def test_touched_intervals(self) -> None:
        """An interval that the range only touches belongs to it."""
        inside = Period((BEGIN_S + 3) * 1000 + 400, (BEGIN_S + 3) * 1000 + 500)
        self.assertEqual(budget(within(_WHOLE, _seconds(3, 4))), budget(within(_WHOLE, inside)))

    def test_open_end(self) -> None:
        """A range without an end reaches to the end of the trace."""
        open_end = Period((BEGIN_S + 10) * 1000)
        self.assertEqual(budget(within(_WHOLE, _seconds(10, 12))), budget(within(_WHOLE, open_end)))

    def test_verdict(self) -> None:
        """The sentence is about the range, and does not claim that anything still waits."""
        sentence = verdict(within(_WHOLE, _seconds(4, 7)))
        self.assertIn("3 s (12 s in 4 threads)", sentence)
        self.assertIn("for child process convert (77)", sentence)
        self.assertNotIn("still", sentence)
        self.assertIn("3 s:", verdict(within(_WHOLE, _seconds(4, 7)), 44))

    def test_outside(self) -> None:
        """A range without data is said to have none."""
        part = within(_WHOLE, _seconds(100, 101))
        self.assertEqual("where the time of this range went is not known", verdict(part))
        self.assertEqual([], objects(with_objects(part)))

    def test_without_history(self) -> None:
        """Estimates for the whole trace are not those of a range."""
        sums = Delta(calls=_WHOLE.sums.calls)
        part = within(snapshot_of_deltas(sums), _seconds(0, 1))
        self.assertEqual("where the time of this range went is not known", verdict(part))

    def test_threads(self) -> None:
        """The times of a thread are of the range, its calls of the whole trace."""
        whole = {each.tid: each for each in threads(_WHOLE)}
        part = {each.tid: each for each in threads(within(_WHOLE, _seconds(4, 7)))}
        self.assertEqual(whole.keys(), part.keys())
        self.assertEqual(whole[42].busy_ns, 4 * part[42].busy_ns)
        self.assertEqual(whole[42].tally.calls, part[42].tally.calls)

    def test_objects(self) -> None:
        """The time waiting for an object is of the range, its other numbers of the whole trace."""
        found = objects(with_objects(within(_WHOLE, _seconds(4, 7))), sort=ObjectSort.WAITING)
        database = next(each for each in found if each.info == DATABASE)
        self.assertEqual(3 * 620 * MS, database.costs.blocked_ns)
        self.assertEqual(_SECONDS * 8, database.costs.sums.count)
        blocked_ns = sum(each.costs.blocked_ns for each in found)
        part = budget(within(_WHOLE, _seconds(4, 7)))
        self.assertEqual(part.in_state(TimeState.BLOCKED), blocked_ns)

    def test_process(self) -> None:
        """A range and a process limit together."""
        part = within(_WHOLE, _seconds(4, 7))
        self.assertEqual({44}, set(threads_of(part, 44)))
        self.assertEqual(3000 * MS, budget(part, 44).wall_ns)

    def test_slowest_and_log(self) -> None:
        """Calls belong to each range in which they took place, at least in part."""
        part = within(_WHOLE, _seconds(4, 7))
        began = {(each.call.time_ns or 0) // 1_000_000_000 - BEGIN_S for each in slowest(part)}
        self.assertLessEqual(began, {3, 4, 5, 6})
        self.assertLessEqual({4, 5, 6}, began)
        times = [entry.time_ns or 0 for entry in part.sums.log]
        self.assertTrue(times)
        self.assertTrue(all(3 <= each // 1_000_000_000 - BEGIN_S <= 6 for each in times))


class ManyThreadsTests(SynchronousTestCase):
    """More threads in an interval than are kept apart."""

    def snapshot(self, *pids: int) -> Snapshot:
        """Return the snapshot of processes with 150 threads each, which all run for a second."""
        times = ThreadTimes(user_ns=SECOND_NS)
        pid_of = {1000 * pid + number: pid for pid in pids for number in range(150)}
        delta = Delta(
            threads={tid: ThreadTally(pid, "app", times) for tid, pid in pid_of.items()},
            timeline=Timeline({BEGIN_S: INTERVAL.cut(dict.fromkeys(pid_of, times))}, COARSE_MS),
            span=Span(BEGIN_S * SECOND_NS, (BEGIN_S + 1) * SECOND_NS),
        )
        return within(snapshot_of_deltas(delta), _seconds(0, 1))

    def test_alone(self) -> None:
        """The time of all others is that of the only process."""
        spent = budget(self.snapshot(7), 7)
        self.assertEqual(
            (150 * SECOND_NS, False, ""), (spent.wall_ns, spent.is_estimated, spent.note)
        )
        self.assertIn("more than 74 threads", verdict(self.snapshot(7), 7))

    def test_several(self) -> None:
        """Whose time it is of several processes is not known, which is said."""
        spent = budget(self.snapshot(7, 8), 7)
        self.assertLess(spent.wall_ns, 150 * SECOND_NS)
        self.assertTrue(spent.is_estimated)
        self.assertIn("only their time in all processes together is known", spent.note)
