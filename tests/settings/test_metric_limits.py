"""Tests of the limits of metrics."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.metric_limits import BUCKETS, MetricLimits


class LimitTests(SynchronousTestCase):
    """The series and what they are spent on."""

    def test_within(self) -> None:
        """Counters and histograms are never more than the limit permits."""
        for buckets in BUCKETS:
            least = MetricLimits(buckets=buckets).least_series
            for series in (least, least + 1, 1000, 1001, 20_000):
                limits = MetricLimits(max(series, least), buckets)
                for each in (1, limits.histogram_series):
                    counters, histograms = limits.rows(each)

                    self.assertGreaterEqual(counters, 1)
                    self.assertGreaterEqual(histograms, 1)
                    self.assertLessEqual(2 * counters + each * histograms + 150, limits.series)

    def test_default(self) -> None:
        """By default there are 20 classic histograms and 85 counters, or 283 native of each."""
        limits = MetricLimits()

        self.assertEqual((85, 20), limits.rows(limits.histogram_series))
        self.assertEqual((283, 284), limits.rows(1))
