"""Tests of the time budget: its parts explain the whole time, in total and in each interval."""

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import ShareOf
from syswatch.model.threads import ThreadTimes, Wait
from syswatch.model.timeline import Timeline
from syswatch.views.budget.bar import bar, legend
from syswatch.views.budget.budget import PartKey, budget, history
from syswatch.views.budget.estimate import estimated_rows
from syswatch.views.budget.states import TimeState
from syswatch.views.text_table import plain
from tests.strategies import costly_deltas

from .worlds import (
    BEGIN_NS,
    DATABASE,
    LISTENER,
    MS,
    WAL,
    Did,
    S,
    Thread,
    delta_of,
    snapshot_of,
    world,
)

_APP = Thread(
    [
        Did("recvfrom", DATABASE, waiting=3 * S),
        Did("accept", LISTENER, waiting=10 * S),
        Did("fsync", WAL, waiting=S, working=500 * MS),
    ],
    user=2 * S,
    ready=S,
    stopped=500 * MS,
)


class BudgetTests(SynchronousTestCase):
    """The whole time and its parts."""

    def test_parts(self) -> None:
        """Waits are divided by kind; the states and the parts of each have a fixed order."""
        self.assertEqual(
            {
                PartKey(TimeState.BLOCKED, ObjectKind.TCP): 3 * S,
                PartKey(TimeState.BLOCKED, ObjectKind.FILE): S,
                PartKey(TimeState.USER): 2 * S,
                PartKey(TimeState.WORKING): 500 * MS,
                PartKey(TimeState.READY): S,
                PartKey(TimeState.STOPPED): 500 * MS,
                PartKey(TimeState.IDLE, ObjectKind.TCP): 10 * S,
            },
            budget(world(_APP)).parts,
        )
        self.assertEqual(
            [state.value for state in TimeState],
            list(dict.fromkeys(key.state.value for key in budget(world(_APP)).parts)),
        )

    def test_shares(self) -> None:
        """Shares are of the whole, of the busy time, or of the time in calls."""
        spent = budget(world(_APP))
        database, user = PartKey(TimeState.BLOCKED, ObjectKind.TCP), PartKey(TimeState.USER)
        idle = PartKey(TimeState.IDLE, ObjectKind.TCP)

        self.assertEqual((18 * S, 8 * S), (spent.wall_ns, spent.busy_ns))
        self.assertEqual(14500 * MS, spent.call_ns)
        for share_of, shares in (
            (ShareOf.WALL, (3 / 18, 2 / 18, 10 / 18)),
            (ShareOf.BUSY, (3 / 8, 2 / 8, None)),
            (ShareOf.CALLS, (3 / 14.5, None, 10 / 14.5)),
        ):
            found = tuple(spent.share(key, share_of) for key in (database, user, idle))
            self.assertEqual(shares, found)
        self.assertIsNone(budget(world()).share(user, ShareOf.WALL))

    def test_ready_outside(self) -> None:
        """Shares of the time in calls leave out what threads were ready outside of calls."""
        thread = Thread([Did("fsync", WAL, working=S)], user=5 * S, ready=10 * S)
        spent = budget(snapshot_of(delta_of(thread)))
        shares = {key.state: spent.share(key, ShareOf.CALLS) for key in spent.parts}
        self.assertEqual((1.0, 0.0), (shares[TimeState.WORKING], shares[TimeState.READY]))
        for share_of, states in ((ShareOf.CALLS, "WWWW"), (ShareOf.WALL, "UWRR")):
            self.assertEqual(set(states), set(bar(spent, share_of, plain, 40)))

    @given(costly_deltas)
    def test_whole(self, delta: Delta) -> None:
        """The parts of all threads add up to their wall time, whatever they did."""
        spent = budget(snapshot_of(delta))

        if delta.threads:
            walls = (tally.times.wall_ns for tally in delta.threads.values())
            self.assertEqual(sum(walls), spent.wall_ns)
        self.assertLessEqual(spent.busy_ns, spent.wall_ns)

    @given(costly_deltas)
    def test_history(self, delta: Delta) -> None:
        """The parts of each interval add up to its wall time."""
        timeline = snapshot_of(delta).sums.timeline

        for each in history(snapshot_of(delta)):
            interval = timeline.bins[each.at_ms // timeline.bin_ms]
            walls = (times.wall_ns for times in interval.values())
            self.assertEqual(sum(walls), sum(each.parts.values()))

    def test_history_of_process(self) -> None:
        """The history of a process has its threads only, from the time that is asked for."""
        delta = attrs.evolve(
            delta_of(_APP, attrs.evolve(_APP, pid=2)),
            timeline=Timeline(
                {
                    at: {
                        1: ThreadTimes(user_ns=at),
                        2: ThreadTimes(waiting={Wait(WAL.id, "fsync"): 5}),
                    }
                    for at in (7, 8, 9)
                }
            ),
        )
        blocked = {PartKey(TimeState.BLOCKED, ObjectKind.FILE): 5}

        found = list(history(snapshot_of(delta), 2, since_ms=80))

        self.assertEqual([(80, blocked), (90, blocked)], [(b.at_ms, b.parts) for b in found])


class BarTests(SynchronousTestCase):
    """The budget as a bar."""

    @given(st.lists(st.integers(0, 10**12), min_size=4, max_size=4), st.integers(1, 200))
    def test_length(self, times: list[int], cells: int) -> None:
        """The bar has exactly as many cells as it is given, in proportion to the times."""
        user, ready, stopped, waiting = times
        thread = Thread([Did("fsync", WAL, waiting=waiting)], user, ready, stopped)
        spent = budget(world(thread))

        text = bar(spent, ShareOf.BUSY, plain, cells)

        self.assertEqual(cells if sum(times) else 0, len(text))
        for letter, each in zip("URSB", times, strict=True):
            exact = cells * each / (sum(times) or 1)
            self.assertLessEqual(abs(text.count(letter) - exact), 1.001)

    def test_legend(self) -> None:
        """The legend names the letters, their shares, and what the bar leaves out."""
        spent = budget(world(_APP))

        self.assertEqual(
            "B blocked 50 %  U own code 25 %  W in calls 6 %  R no CPU 12 %  S stopped 6 %  "
            "(without 10 s idle)",
            legend(spent, ShareOf.BUSY),
        )
        self.assertIn("I idle 56 %", legend(spent, ShareOf.WALL))


class EstimateTests(SynchronousTestCase):
    """Sources that recorded neither threads nor waits."""

    def test_long_calls(self) -> None:
        """Of calls whose purpose is to wait, the long ones waited; other calls never did."""
        tally = CallTally(
            count=3, total_ns=S + 2000, histogram=Histogram.of([1000, 1000, S]), max_ns=S
        )
        rows = {
            wait.call: sums for wait, sums in estimated_rows({"read": tally, "mmap": tally}).items()
        }

        self.assertEqual((1, 0), (rows["read"].waits, rows["mmap"].waits))
        self.assertLess(abs(S - rows["read"].waiting_ns), 100)
        self.assertEqual(S + 2000, rows["mmap"].working_ns)
        for sums in rows.values():
            self.assertEqual(tally.total_ns, sums.total_ns)

    def test_whole(self) -> None:
        """Of a single process, the rest of the time is outside of calls; of several unknown."""
        tally = CallTally(count=1, total_ns=S, histogram=Histogram.of([S]))
        delta = Delta(calls={"read": tally}, span=Span(BEGIN_NS, BEGIN_NS + 3 * S))

        alone = budget(snapshot_of(delta))
        late = budget(snapshot_of(attrs.evolve(delta, span=Span(BEGIN_NS, BEGIN_NS + S // 2))))

        self.assertEqual((3 * S, 2 * S), (alone.wall_ns, alone.in_state(TimeState.USER)))
        self.assertEqual((S, 0), (late.wall_ns, late.in_state(TimeState.USER)))
        self.assertIn("time outside of calls is not known", late.note)
        self.assertTrue(alone.is_estimated)
