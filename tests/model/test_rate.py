"""Tests of the current rate."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta, Span
from syswatch.model.rate import RATE_WINDOW_NS, RecentCalls
from syswatch.model.times import SECOND_NS
from syswatch.model.window import SecondTotals, Window
from tests.strategies import deltas

_MS = 10**6
_BEGIN_NS = 1_000 * SECOND_NS
# As often as a tracer reports; one that is not in a hurry reports three times a second.
_OFTEN = tuple(range(100, 1001, 100))
_SELDOM = (300, 600, 1000)


def reported(calls_ns: list[int], until_s: int, tenths: tuple[int, ...]) -> RecentCalls:
    """Return the recent calls, if deltas arrive at these milliseconds."""
    recent = RecentCalls()
    ends = [_BEGIN_NS + second * SECOND_NS + at * _MS for second in range(until_s) for at in tenths]
    before = _BEGIN_NS
    for end in ends:
        count = sum(before <= at < end for at in calls_ns)
        window = Window({before // SECOND_NS: {"read": SecondTotals(count)}} if count else {})
        recent.add(Delta(window=window, span=Span(_BEGIN_NS, end)))
        before = end
    return recent


def bursts(every_ms: int, phase_ms: int, seconds: int) -> list[int]:
    """Return the times of repeated bursts of 54 calls."""
    starts = range(phase_ms, seconds * 1000, every_ms)
    return [_BEGIN_NS + at * _MS for at in starts for _ in range(54)]


class RateTests(SynchronousTestCase):
    """Calls per second."""

    def test_bursts(self) -> None:
        """54 calls about once a second are 54 per second at any time."""
        for tenths in (_OFTEN, _SELDOM):
            for every_ms in (990, 1000, 1010):
                for phase_ms in range(0, 1000, 47):
                    recent = reported(bursts(every_ms, phase_ms, 12), 12, tenths)
                    for late_ms in (0, 40, 300):
                        now = _BEGIN_NS + 12 * SECOND_NS + late_ms * _MS
                        rate = recent.rates(now)["read"]
                        self.assertLess(abs(54 - rate), 8, (every_ms, phase_ms, late_ms))

    def test_bursts_in_time(self) -> None:
        """54 calls exactly once a second are exactly 54 per second, if no delta splits them."""
        recent = reported(bursts(1000, 150, 12), 12, _OFTEN)
        rates = {recent.rates(_BEGIN_NS + 12 * SECOND_NS + late * _MS)["read"] for late in (0, 90)}
        self.assertEqual({54.0}, rates)

    def test_steady(self) -> None:
        """The rate of a program that never pauses is right from the first second on."""
        calls = [_BEGIN_NS + at * _MS for at in range(12_000)]
        for seconds in (1, 2, 3, 4, 12):
            recent = reported(calls, seconds, _OFTEN)
            rate = recent.rates(_BEGIN_NS + seconds * SECOND_NS)["read"]
            self.assertEqual(1000.0, rate)

    def test_first_burst(self) -> None:
        """The burst at the start of a program counts once."""
        recent = reported([_BEGIN_NS] * 600, 3, _OFTEN)
        rates = [recent.rates(_BEGIN_NS + at * SECOND_NS).get("read") for at in (1, 2, 3)]
        self.assertEqual([600.0, 300.0, 200.0], rates)

    def test_falls_to_nothing(self) -> None:
        """Five seconds after the last call the rate is 0, even without further deltas."""
        recent = reported(bursts(1000, 0, 6), 6, _OFTEN)
        last = _BEGIN_NS + 5 * SECOND_NS + 100 * _MS
        rates = [recent.rates(last + at * SECOND_NS).get("read", 0.0) for at in range(2, 7)]
        self.assertEqual(sorted(rates, reverse=True), rates)
        self.assertEqual([0.0, 0.0], rates[3:])

    @given(st.lists(deltas, max_size=6), st.integers(0, 2_000))
    def test_any(self, some: list[Delta], now_s: int) -> None:
        """No rate is negative, and old calls are dropped, whatever the timestamps."""
        recent = RecentCalls()
        for delta in some:
            recent.add(delta)
        self.assertTrue(all(rate >= 0 for rate in recent.rates(now_s * SECOND_NS).values()))
        ends = [piece.end_ns for piece in recent._pieces]
        self.assertTrue(all(max(ends) - end < RATE_WINDOW_NS for end in ends))

    @given(st.lists(deltas, max_size=6), st.integers(0, 2_000))
    def test_shift(self, some: list[Delta], by_s: int) -> None:
        """Moving all timestamps, including now, keeps the rates."""
        recent = RecentCalls()
        for delta in some:
            recent.add(delta)
        now = 1_501 * SECOND_NS
        before = recent.rates(now)
        recent.shift(by_s)
        self.assertEqual(before, recent.rates(now + by_s * SECOND_NS))
