"""Tests of the options of /metrics."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.metric_limits import MOST_SERIES, MetricLimits
from tests.options.parsing import config_of, error_of


class LimitTests(SynchronousTestCase):
    """How many series there may be."""

    def test_accepted(self) -> None:
        """The smallest and the largest limit are accepted, and the default is 1000."""
        least = MetricLimits().least_series
        for words, series in (
            ((), 1000),
            (("--metrics-series", str(least)), least),
            (("--metrics-series", str(MOST_SERIES)), MOST_SERIES),
        ):
            serving = config_of("run", "--serve", ":0", *words, "true").serving
            assert serving is not None
            self.assertEqual(series, serving.access.metrics.series)

    def test_refused(self) -> None:
        """Of a limit that is too small or too large, the message has the possible ones."""
        for value, error in (
            ("1", f"expected a whole number, at least {MetricLimits().least_series}"),
            ("50001", "--metrics-series: invalid value '50001' (expected at most 50000)"),
        ):
            words = ("run", "--serve", ":0", "--metrics-series", value, "true")
            self.assertIn(error, error_of(*words))
