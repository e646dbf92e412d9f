"""Tests of the histogram."""

import math

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.histogram import (
    BUCKET_COUNT,
    SUBDIVISIONS,
    Histogram,
    bucket_of,
    lower_bound,
    upper_bound,
)
from syswatch.model.times import LONGEST_NS
from tests.strategies import durations

fractions = st.sampled_from([0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0])


class BucketTests(SynchronousTestCase):
    """Which bucket a duration falls into."""

    @given(durations)
    def test_holds_its_duration(self, duration: int) -> None:
        """A duration lies between the bounds of its bucket."""
        bucket = bucket_of(duration)

        self.assertLessEqual(lower_bound(bucket), duration)
        self.assertLessEqual(duration, upper_bound(bucket))

    @given(durations, durations)
    def test_order(self, one: int, other: int) -> None:
        """A longer duration is never in an earlier bucket."""
        shorter, longer = sorted((one, other))

        self.assertLessEqual(bucket_of(shorter), bucket_of(longer))

    def test_no_gap(self) -> None:
        """Every bucket begins where the one before has ended."""
        for bucket in range(BUCKET_COUNT - 1):
            self.assertEqual(lower_bound(bucket + 1), upper_bound(bucket) + 1)
            self.assertEqual(bucket, bucket_of(lower_bound(bucket)))
            self.assertEqual(bucket, bucket_of(upper_bound(bucket)))

    def test_width(self) -> None:
        """No bucket is wider than a sixteenth of its lower bound."""
        for bucket in range(SUBDIVISIONS, BUCKET_COUNT):
            width = upper_bound(bucket) - lower_bound(bucket) + 1

            self.assertLessEqual(width * SUBDIVISIONS, lower_bound(bucket))

    def test_shortest(self) -> None:
        """Durations below 16 ns have a bucket each, and none is below zero."""
        self.assertEqual(list(range(16)), [bucket_of(duration) for duration in range(16)])
        self.assertEqual(0, bucket_of(-5))

    def test_bounded(self) -> None:
        """However long a duration is, there is a last bucket."""
        self.assertEqual(BUCKET_COUNT - 1, bucket_of(LONGEST_NS))
        self.assertEqual(BUCKET_COUNT - 1, bucket_of(LONGEST_NS * 1000))
        self.assertLess(BUCKET_COUNT, 1000)


class HistogramTests(SynchronousTestCase):
    """Counting, merging, percentiles."""

    @given(st.lists(durations, min_size=1, max_size=200), fractions)
    def test_error_of_percentiles(self, values: list[int], fraction: float) -> None:
        """A percentile is within a sixteenth of the exact one."""
        exact = sorted(values)[max(math.ceil(round(fraction * len(values), 9)), 1) - 1]

        (estimate,) = Histogram.of(values).percentiles((fraction,), min(values), max(values))

        self.assertLessEqual(abs(estimate - exact) * 16, exact)

    @given(st.lists(durations, min_size=1), fractions)
    def test_percentiles_within_extremes(self, values: list[int], fraction: float) -> None:
        """A percentile is never below the minimum, never above the maximum."""
        least, most = min(values), max(values)

        (estimate,) = Histogram.of(values).percentiles((fraction,), least, most)

        self.assertTrue(least <= estimate <= most)

    @given(st.lists(durations, min_size=1))
    def test_percentiles_rise(self, values: list[int]) -> None:
        """A higher fraction never has a smaller percentile."""
        wanted = (0.1, 0.5, 0.9, 0.95, 0.99, 1.0)

        estimates = Histogram.of(values).percentiles(wanted, min(values), max(values))

        self.assertEqual(sorted(estimates), list(estimates))

    def test_rank(self) -> None:
        """The 95th percentile of twenty durations is the nineteenth, despite binary fractions."""
        histogram = Histogram.of([1] * 19 + [10**9])

        self.assertEqual((1,), histogram.percentiles((0.95,), 1, 10**9))

    def test_nothing_measured(self) -> None:
        """Percentiles of nothing are zero."""
        self.assertEqual((0, 0), Histogram().percentiles((0.5, 0.99), 3, 4))

    @given(st.lists(durations), st.lists(durations))
    def test_merge_is_exact(self, one: list[int], other: list[int]) -> None:
        """The sum of two histograms is the histogram of all."""
        self.assertEqual(Histogram.of(one + other), Histogram.of(one) + Histogram.of(other))
        self.assertEqual(len(one) + len(other), (Histogram.of(one) + Histogram.of(other)).total)

    @given(st.lists(durations))
    def test_bars(self, values: list[int]) -> None:
        """The bars rise in duration, and together hold every value once."""
        bars = Histogram.of(values).bars()

        self.assertEqual(sorted(bars), list(bars))
        self.assertEqual(len(values), sum(count for _, count in bars))
        for value in values:
            self.assertIn(upper_bound(bucket_of(value)), [most for most, _ in bars])
