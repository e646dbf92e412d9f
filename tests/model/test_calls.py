"""Tests of the tally of one call."""

from functools import reduce
from operator import add

from hypothesis import given, strategies
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import OTHER_ERRNOS, TRACKED_ERRNOS, CallTally, total_of
from syswatch.model.histogram import Histogram
from syswatch.model.times import LONGEST_NS
from tests.strategies import tallies


def timed(*durations: int) -> CallTally:
    """Return the tally of some calls that succeeded."""
    return CallTally(
        count=len(durations),
        total_ns=sum(durations),
        min_ns=min(durations),
        max_ns=max(durations),
        histogram=Histogram.of(durations),
    )


class CallTallyTests(SynchronousTestCase):
    """The totals of one call."""

    @given(tallies(), tallies(), tallies())
    def test_associative(self, one: CallTally, two: CallTally, three: CallTally) -> None:
        """Addition is associative."""
        self.assertEqual((one + two) + three, one + (two + three))

    @given(tallies(), tallies())
    def test_commutative(self, one: CallTally, two: CallTally) -> None:
        """Addition is commutative."""
        self.assertEqual(one + two, two + one)

    @given(tallies())
    def test_identity(self, tally: CallTally) -> None:
        """An empty tally adds nothing."""
        self.assertEqual(tally, tally + CallTally())
        self.assertEqual(tally, CallTally() + tally)

    @given(strategies.lists(tallies(), min_size=1))
    def test_total_of(self, several: list[CallTally]) -> None:
        """The sum of several tallies is the same as if they were added one by one."""
        self.assertEqual(reduce(add, several), total_of(several))

    def test_extremes(self) -> None:
        """The extremes of a sum are those of all its calls."""
        total = timed(5, 20) + timed(1, 7)

        self.assertEqual((1, 20), (total.min_ns, total.max_ns))

    def test_unmeasured_side(self) -> None:
        """Calls without a duration do not make the minimum zero."""
        total = CallTally(count=3) + timed(5, 20) + CallTally(count=1)

        self.assertEqual((5, 20), (total.min_ns, total.max_ns))
        self.assertEqual((6, 2), (total.count, total.timed))

    def test_average_of_measured(self) -> None:
        """The average is over the calls that have a duration."""
        self.assertEqual(15, (CallTally(count=3) + timed(10, 20)).average_ns)
        self.assertEqual(0, CallTally(count=3).average_ns)

    def test_top_errno(self) -> None:
        """The commonest errno is named, and among equals the first by name."""
        self.assertEqual("ENOENT", CallTally(errnos={"EACCES": 1, "ENOENT": 2}).top_errno)
        self.assertEqual("EACCES", CallTally(errnos={"ENOENT": 2, "EACCES": 2}).top_errno)
        self.assertEqual("", CallTally().top_errno)

    def test_errnos_are_bounded(self) -> None:
        """However many errnos there are, the breakdown is bounded, and adds up."""
        errnos = {f"E{number}": 1 for number in range(TRACKED_ERRNOS)}
        full = CallTally(count=TRACKED_ERRNOS, errors=TRACKED_ERRNOS, errnos=errnos)

        total = full + CallTally(count=5, errors=5, errnos={"E0": 1, "ENEW": 4})

        self.assertEqual(2, total.errnos["E0"])
        self.assertEqual(4, total.errnos[OTHER_ERRNOS])
        self.assertEqual(total.errors, sum(total.errnos.values()))

    def test_time_is_bounded(self) -> None:
        """Centuries of waiting threads still fit the 63 bits that can be sent."""
        centuries = timed(LONGEST_NS)

        self.assertEqual(LONGEST_NS, (centuries + centuries).total_ns)
