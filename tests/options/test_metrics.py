"""Tests of the options of /metrics."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Ended
from syswatch.settings.metric_limits import MOST_SERIES, MetricLimits
from tests.options.parsing import config_of, error_of
from tests.recording import samples


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

    def test_pushed(self) -> None:
        """The limit holds for groups that are pushed, with a server or without."""
        words = ("attach", "--all", "--by", "pod", "--otlp", "http://localhost:4318")
        for given, rows in (((), 70), (("--metrics-series", "12150"), 1000)):
            push = config_of(*words, *given).push
            assert push is not None
            self.assertEqual(rows, push.group_rows)

    def test_useless(self) -> None:
        """A limit that limits nothing is refused: of calls, everything is pushed."""
        limit = ("--metrics-series", "500", "true")
        self.assertEqual(
            "--metrics-series has no effect without --serve or --by",
            error_of("run", "--otlp", "http://localhost:4318", *limit),
        )
        folder = str(samples.write(Path(self.mktemp()), end=Ended(0)))
        error = error_of("replay", *limit[:2], folder)
        self.assertEqual("--metrics-series has no effect without --serve", error)
