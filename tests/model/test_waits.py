"""Tests of waits: sums that are added in any order."""

from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.histogram import Histogram
from syswatch.model.waits import NO_WAITS, WaitTally
from tests.strategies import tallies, wait_tallies


class WaitTests(SynchronousTestCase):
    """The tally of the calls that waited."""

    @given(wait_tallies(), wait_tallies(), wait_tallies())
    def test_addition(self, one: WaitTally, two: WaitTally, three: WaitTally) -> None:
        """Tallies are added in any order, and nothing is lost."""
        self.assertEqual((one + two) + three, three + (two + one))
        self.assertEqual(one, one + NO_WAITS)
        self.assertEqual(one, NO_WAITS + one)
        total = one + two
        self.assertEqual(total.count, total.histogram.total)

    @given(tallies(), tallies())
    def test_of_calls(self, one: CallTally, two: CallTally) -> None:
        """The waits of a call are added with its durations."""
        self.assertEqual(one.waits + two.waits, (one + two).waits)

    def test_working(self) -> None:
        """The time that a call neither waited nor was ready, it worked."""
        tally = CallTally(count=2, total_ns=10, waits=WaitTally(1, 6, 3, Histogram.of([6])))

        self.assertEqual(1, tally.working_ns)
        self.assertEqual(0, CallTally(total_ns=5, waits=WaitTally(1, 6, 3)).working_ns)
