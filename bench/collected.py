"""What an OpenTelemetry Collector wrote to files, for bench/collector.py."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
from google.protobuf import json_format
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, MetricsData

CALLS, ERRORS = "syswatch.syscall.calls", "syswatch.syscall.errors"
LATENCY, REQUESTS = "syswatch.syscall.latency", "syswatch.otlp.requests"
# The name of a metric, and the attributes of a point.
Series = tuple[str, tuple[tuple[str, Any], ...]]


@attrs.frozen
class Push:
    """The cumulative values of one request, and when they were true."""

    time_ns: int
    starts_ns: frozenset[int]
    values: Mapping[Series, float]
    # Of latencies: how often and how long, in nanoseconds.
    times: Mapping[str, tuple[int, int]]

    def of(self, metric: str, *labels: str) -> dict[Any, float]:
        """Return the values of a metric by its labels; one label is no tuple."""
        found = {}
        for (name, attributes), value in self.values.items():
            if name == metric:
                known = dict(attributes)
                key = tuple(known[label] for label in labels)
                found[key if len(labels) > 1 else key[0]] = value
        return found


def pushes(file: Path) -> list[Push]:
    """Return the requests with metrics in the order in which they were accepted."""
    return [_push(json_format.Parse(line, MetricsData())) for line in _lines(file)]


def records(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the attributes of all log records."""
    for line in _lines(file):
        for origin in json_format.Parse(line, LogsData()).resource_logs:
            for scope in origin.scope_logs:
                yield from (_attributes(record.attributes) for record in scope.log_records)


def decreases(found: Iterable[Push]) -> int:
    """Return how many values are less than in the request before, or missing."""
    return sum(
        after.values.get(series, -1) < value
        for before, after in itertools.pairwise(found)
        for series, value in before.values.items()
    )


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.exists() else []


def _push(data: MetricsData) -> Push:
    (origin,) = data.resource_metrics
    (scope,) = origin.scope_metrics
    values: dict[Series, float] = {}
    times, times_ns, starts_ns = {}, set(), set()
    for metric in scope.metrics:
        for point in _points(metric):
            labels = _attributes(point.attributes)
            times_ns.add(point.time_unix_nano)
            starts_ns.add(point.start_time_unix_nano)
            series = metric.name, tuple(sorted(labels.items()))
            if metric.name == LATENCY:
                values[series] = point.count
                times[labels["syscall"]] = point.count, round(point.sum * 1e9)
            else:
                values[series] = getattr(point, point.WhichOneof("value"))
    (time_ns,) = times_ns
    return Push(time_ns, frozenset(starts_ns), values, times)


def _points(metric: Metric) -> Iterable[Any]:
    """Return the points of a metric that may only grow."""
    kind = metric.WhichOneof("data")
    return () if kind in (None, "gauge") else getattr(metric, str(kind)).data_points


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    return {each.key: getattr(each.value, str(each.value.WhichOneof("value"))) for each in pairs}
