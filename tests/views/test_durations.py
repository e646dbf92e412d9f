"""Tests of the bars of durations."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.histogram import Histogram
from syswatch.model.times import LONGEST_NS
from syswatch.views.durations import fine_bars, position, rows
from tests.strategies import durations

_MOST = st.integers(4, 40)
_many = st.lists(durations | st.integers(0, 10_000), min_size=1, max_size=40)


class RowTests(SynchronousTestCase):
    """The rows of a small chart."""

    @given(_many, _MOST)
    def test_everything_is_in_a_row(self, spent: list[int], most: int) -> None:
        """Every duration is in exactly one row, and there are not too many rows."""
        shown = rows(Histogram.of(spent), most)

        self.assertLessEqual(len(shown), most)
        for row in shown:
            self.assertEqual(sum(row.holds(each) for each in spent), row.count, row)
        self.assertEqual(len(spent), sum(row.count for row in shown))

    @given(_many, _MOST)
    def test_percentiles(self, spent: list[int], most: int) -> None:
        """No printed percentile is in an outlier row."""
        histogram = Histogram.of(spent)
        shown = rows(histogram, most)
        for nanoseconds in histogram.percentiles((0.5, 0.95, 0.99), 0, LONGEST_NS):
            (row,) = (row for row in shown if row.holds(nanoseconds))
            self.assertIsNotNone(row.below_ns)
            # What is below the bulk is less than a hundredth, and no percentile is among it.
            self.assertTrue(row.from_ns or 100 * row.count >= len(spent), row)

    def test_bulk(self) -> None:
        """The bulk is shown in detail, with a row for the few slow calls."""
        spent = [700] * 900 + [1_500] * 93_062 + [3_000] * 43_000 + [10**10] * 9
        shown = rows(Histogram.of(spent), 16)

        self.assertEqual([900, 93_062, 43_000], [row.count for row in shown[:3]])
        self.assertEqual((None, 9), (shown[-1].below_ns, shown[-1].count))
        self.assertEqual(4, len(shown))

    def test_wide(self) -> None:
        """If the bulk spans too many octaves, a row holds several."""
        shown = rows(Histogram.of([1 << at for at in range(28)]), 16)

        self.assertEqual([2] * 14, [row.count for row in shown])

    def test_nothing(self) -> None:
        """Without durations there are no rows."""
        self.assertEqual([], rows(Histogram(), 16))


class FineBarTests(SynchronousTestCase):
    """The bars of a page."""

    @given(_many)
    def test_all(self, spent: list[int]) -> None:
        """Every duration is in the bar of its place on the axis, or beside it by rounding."""
        bars = fine_bars(Histogram.of(spent))

        self.assertEqual(len(spent), sum(bars.values()))
        for nanoseconds in spent:
            self.assertTrue(
                {int(position(nanoseconds)) + step for step in (-1, 0, 1)} & bars.keys()
            )
