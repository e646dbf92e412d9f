"""Tests of requests with metrics."""

from collections.abc import Iterator
from typing import Any

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, Metric
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from prometheus_client.metrics_core import Metric as Family
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.snapshot import Snapshot
from syswatch.otlp.attributes import scope
from syswatch.otlp.metrics import Interval, Series, metrics_request
from syswatch.views.call_metrics import CallMetrics
from syswatch.views.group_metrics import GroupMetrics
from syswatch.views.metrics import trace_metrics
from tests.otlp.reading import labels_of, values_of
from tests.web.served import snapshot_of

_TIMES_NS = (0, 1, 15, 900, 901, 50_000, 3_000_000_000)
_DELTA = Delta(
    calls={
        "read": CallTally(
            count=9,
            errors=3,
            total_ns=sum(_TIMES_NS),
            min_ns=min(_TIMES_NS),
            max_ns=max(_TIMES_NS),
            histogram=Histogram.of(_TIMES_NS),
            errnos={"EAGAIN": 2},
        ),
        # More than a double can count.
        "getpid": CallTally(count=2**53 + 1),
    },
    ledger=Ledger(lost_events=4),
)
_INTERVAL = Interval(1_000, 2_000)


def _metrics(snapshot: Snapshot, series: Series | None = None) -> dict[str, Metric]:
    series = series or Series(GroupMetrics.at_most(9))
    request = metrics_request(snapshot, series, Resource(), scope(), _INTERVAL)
    (of_resource,) = request.resource_metrics
    (of_scope,) = of_resource.scope_metrics
    return {each.name: each for each in of_scope.metrics}


class MetricsTests(SynchronousTestCase):
    """The metrics of a snapshot."""

    def setUp(self) -> None:
        """Encode a trace."""
        self.snapshot = snapshot_of(_DELTA)
        self.metrics = _metrics(self.snapshot)

    def test_corrected(self) -> None:
        """A sum that is corrected stays until it is reached again; others go on."""
        series, seen = Series(GroupMetrics.at_most(9)), []
        for lost, count in ((5, 1), (3, 2), (8, 3)):
            delta = Delta(calls={"read": CallTally(count=count)}, ledger=Ledger(lost_events=lost))
            metrics = _metrics(snapshot_of(delta), series)
            entries = values_of(metrics["syswatch.ledger"], "entry")
            calls = values_of(metrics["syswatch.syscall.calls"], "syscall")
            seen.append((entries["lost_events"], calls["read"]))
        self.assertEqual([(5, 1), (5, 2), (8, 3)], seen)

    def _values(self, name: str, *labels: str) -> dict[Any, float]:
        return values_of(self.metrics[name], *labels)

    def test_exact(self) -> None:
        """Counts are integers, and exact."""
        self.assertEqual(
            {"read": 9, "getpid": 2**53 + 1}, self._values("syswatch.syscall.calls", "syscall")
        )

    def test_errors(self) -> None:
        """Errors are by errno; those without one are counted, too."""
        self.assertEqual(
            {("read", "EAGAIN"): 2, ("read", "_OTHER"): 1},
            self._values("syswatch.syscall.errors", "syscall", "error.type"),
        )

    def test_errors_ahead(self) -> None:
        """A sum never decreases, even if errnos were read after the errors."""
        ahead = {"read": CallTally(count=9, errors=5, errnos={"EAGAIN": 6})}
        points = _metrics(snapshot_of(Delta(calls=ahead)))["syswatch.syscall.errors"]
        self.assertEqual({("read", "EAGAIN"): 6}, values_of(points, "syscall", "error.type"))

    def test_losses(self) -> None:
        """Losses are counted."""
        self.assertEqual(4, self._values("syswatch.ledger", "entry")["lost_events"])

    def test_cumulative(self) -> None:
        """Every sum is cumulative from the same time, so that a retry counts nothing twice."""
        sums = [each.sum for each in self.metrics.values() if each.HasField("sum")]
        self.assertGreater(len(sums), 4)
        for each in sums:
            self.assertTrue(each.is_monotonic)
            self.assertEqual(
                AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE,
                each.aggregation_temporality,
            )
            for point in each.data_points:
                self.assertEqual(1_000, point.start_time_unix_nano)
                self.assertEqual(2_000, point.time_unix_nano)

    def test_durations(self) -> None:
        """Durations have an exact count, sum and extremes, and are in the right buckets."""
        metric = self.metrics["syswatch.syscall.latency"]
        self.assertEqual("s", metric.unit)
        (point,) = metric.exponential_histogram.data_points
        self.assertEqual("read", labels_of(point)["syscall"])
        self.assertEqual(len(_TIMES_NS), point.count)
        self.assertAlmostEqual(sum(_TIMES_NS) / 1e9, point.sum, delta=1e-12)
        self.assertEqual((0, 3.0), (point.min, point.max))
        self.assertEqual(1, point.zero_count)
        self.assertEqual(point.count, point.zero_count + sum(point.positive.bucket_counts))
        base = 2 ** (2**-point.scale)
        times = iter(sorted(_TIMES_NS)[1:])
        for at, count in enumerate(point.positive.bucket_counts):
            lower_s = base ** (point.positive.offset + at)
            for _ in range(count):
                duration_s = next(times) / 1e9
                # Within a bucket of the model, and so 1/32 of it.
                self.assertLessEqual(lower_s * (1 - 1 / 31), duration_s)
                self.assertLessEqual(duration_s, lower_s * base * (1 + 1 / 31))

    def families(self) -> Iterator[Family]:
        """Return the metrics of Prometheus."""
        return trace_metrics(self.snapshot, CallMetrics.without_histograms())

    def test_same_as_prometheus(self) -> None:
        """Prometheus gets the same names from a collector as from /metrics."""
        names = set()
        for metric in self.metrics.values():
            suffix = {"s": "_seconds"}.get(metric.unit, "")
            names.add(metric.name.replace(".", "_") + suffix)
        self.assertEqual({family.name for family in self.families()}, names)

    def test_help(self) -> None:
        """The descriptions are those of /metrics."""
        for family in self.families():
            name = family.name.removesuffix("_seconds").replace("_", ".")
            self.assertEqual(family.documentation, self.metrics[name].description)
