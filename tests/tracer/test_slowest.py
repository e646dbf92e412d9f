"""Tests of finding the slowest calls."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.slowest import SlowCall, Slowest
from syswatch.tracer.slowest import SlowestFinder

CALLS = st.lists(st.tuples(st.sampled_from(["read", "write", "futex"]), st.integers(0, 500)))


class FinderTests(SynchronousTestCase):
    """The finder selects the calls that are worth formatting."""

    @given(CALLS, st.integers(1, 100))
    def test_exact(self, durations: list[tuple[str, int]], interval: int) -> None:
        """The sum of what is found is what sorting all calls would find."""
        calls = [
            SlowCall(duration, time_ns, 1, 1, name, "", "0", "")
            for time_ns, (name, duration) in enumerate(durations, 1)
        ]
        finder, found = SlowestFinder(), Slowest()
        for number, call in enumerate(calls):
            if call.duration_ns >= finder.bound(call.name):
                finder.add(call)
            if number % interval == 0:
                found += finder.take()
        self.assertEqual(Slowest.of(calls), found + finder.take())

    def test_few_are_found(self) -> None:
        """Calls of equal duration are found no more often than they count."""
        finder = SlowestFinder()
        found = 0
        for time_ns in range(1000):
            if finder.bound("read") <= 5:
                finder.add(SlowCall(5, time_ns, 1, 1, "read", "", "0", ""))
                found += 1
        self.assertEqual(50, found)
