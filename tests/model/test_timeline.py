"""Tests of the timeline: fine intervals for short traces, coarse ones for long traces."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.threads import ThreadTimes
from syswatch.model.timeline import COARSE_MS, FINE_MS, Interval, Timeline
from syswatch.model.times import SECOND_NS
from syswatch.model.window import HISTORY_S
from tests.strategies import bins, thread_times, timelines

_AT_NS = 1_700_000_000 * SECOND_NS


def _wall_ns(timeline: Timeline) -> int:
    return sum(times.wall_ns for each in timeline.bins.values() for times in each.values())


def _at(offset_ms: int, user_ns: int = 1, bin_ms: int = FINE_MS) -> Timeline:
    times = {1: ThreadTimes(user_ns=user_ns)}
    return Timeline.at(_AT_NS + offset_ms * 1_000_000, times, bin_ms=bin_ms)


class TimelineTests(SynchronousTestCase):
    """Intervals of all threads."""

    @given(timelines, timelines, timelines)
    def test_associative(self, one: Timeline, two: Timeline, three: Timeline) -> None:
        """It does not matter where timelines are added, nor in which order."""
        self.assertEqual((one + two) + three, one + (two + three))
        self.assertEqual((one + two).bins, (two + one).bins)

    @given(bins)
    def test_coarser(self, fine: dict[int, Interval]) -> None:
        """Coarser intervals have the same sums."""
        timeline = Timeline(fine)

        coarse = Timeline(timeline.in_length(COARSE_MS), COARSE_MS)

        self.assertEqual(_wall_ns(timeline), _wall_ns(coarse))
        self.assertLessEqual({at // 100 for at in fine}, set(coarse.bins))

    def test_short(self) -> None:
        """Up to ten seconds, intervals are fine."""
        total = _at(0) + _at(9_990)

        self.assertEqual(FINE_MS, total.bin_ms)
        self.assertEqual([0, 999], [at - min(total.bins) for at in total.bins])

    def test_long(self) -> None:
        """From then on they are coarse, and nothing is lost."""
        total = _at(0, 3) + _at(5, 4) + _at(10_000, 5)

        self.assertEqual(COARSE_MS, total.bin_ms)
        self.assertEqual([7, 5], [each[1].user_ns for each in total.bins.values()])

    def test_mixed(self) -> None:
        """A coarse interval and a fine one make coarse ones."""
        total = _at(0, 3, COARSE_MS) + _at(20, 4)

        self.assertEqual([7], [each[1].user_ns for each in total.bins.values()])

    def test_old(self) -> None:
        """Intervals older than the history are dropped."""
        total = _at(0, bin_ms=COARSE_MS) + _at(HISTORY_S * 1000, bin_ms=COARSE_MS)

        self.assertEqual([_AT_NS // SECOND_NS + HISTORY_S], list(total.bins))

    @given(thread_times, st.integers(101, 140))
    def test_many_threads(self, times: ThreadTimes, number: int) -> None:
        """The threads beyond the limit of an interval are added to one."""
        first = Timeline.at(_AT_NS, dict.fromkeys(range(1, number), times), bin_ms=FINE_MS)

        total = first + Timeline.at(_AT_NS, {number: times}, bin_ms=FINE_MS)

        [interval] = total.bins.values()
        self.assertLessEqual(len(interval), 101)
        self.assertEqual(number * times.wall_ns, _wall_ns(total))

    @given(timelines)
    def test_redated(self, timeline: Timeline) -> None:
        """Moving to a later time and back changes nothing; what falls together is added."""
        later = timeline.redated(lambda at_ns: at_ns + 5 * SECOND_NS)

        self.assertEqual(timeline, later.redated(lambda at_ns: at_ns - 5 * SECOND_NS))
        self.assertEqual(_wall_ns(timeline), _wall_ns(timeline.redated(lambda _: _AT_NS)))
