"""
From a snapshot to a request with metrics.

Names, help and labels are those of `/metrics`, with dots: a collector that exports to Prometheus
makes the same names of them.  Errors are by errno and durations are exponential histograms, which
the text format of Prometheus has no place for.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import attrs
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AggregationTemporality,
    ExponentialHistogramDataPoint,
    Metric,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from prometheus_client.metrics_core import Metric as Family

from syswatch.base.classes import define, frozen
from syswatch.model.calls import OTHER_ERRNOS, CallTally
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.views.call_metrics import ERRORS, LATENCY, CallMetrics
from syswatch.views.group_metrics import GroupMetrics, group_families
from syswatch.views.metrics import trace_metrics
from syswatch.views.rising import Rising

from .attributes import attributes
from .groups import group_attributes, group_info
from .histograms import SCALE, buckets

_CUMULATIVE = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
_SECONDS = "_seconds"
_BYTES = "_bytes"
# What semantic conventions call an error that is none of the others.
_OTHER_ERROR = "_OTHER"


@frozen
class Interval:
    """The time that cumulative values cover, in nanoseconds since 1970."""

    start_ns: int
    end_ns: int


@define
class Series:
    """What is remembered of the series: which groups have some, and that no sum decreases."""

    groups: GroupMetrics
    rising: Rising = attrs.field(factory=Rising, init=False)


def metrics_request(
    snapshot: Snapshot,
    series: Series,
    resource: Resource,
    scope: InstrumentationScope,
    interval: Interval,
) -> ExportMetricsServiceRequest:
    """Return a request with all metrics of a trace, of which no sum is lower than before."""
    rows = series.groups.rows(snapshot)
    families = trace_metrics(snapshot, CallMetrics.without_histograms())
    of_groups = group_families(rows) if rows else ()
    metrics = [
        _metric(family, snapshot, interval)
        for family in series.rising.families(chain(families, of_groups))
    ]
    metrics += group_info(rows, snapshot.sums.group_infos, interval.end_ns)
    of_scope = ScopeMetrics(scope=scope, metrics=metrics)
    of_resource = ResourceMetrics(resource=resource, scope_metrics=[of_scope])
    return ExportMetricsServiceRequest(resource_metrics=[of_resource])


def _metric(family: Family, snapshot: Snapshot, interval: Interval) -> Metric:
    metric = Metric(name=_name(family.name), description=family.documentation)
    metric.unit = _unit(family.name)
    if family.name == LATENCY:
        metric.exponential_histogram.aggregation_temporality = _CUMULATIVE
        metric.exponential_histogram.data_points.extend(_durations(snapshot.calls, interval))
    elif family.type == "counter":
        metric.sum.aggregation_temporality = _CUMULATIVE
        metric.sum.is_monotonic = True
        by_errno = family.name == ERRORS
        points = (
            _errors(snapshot.calls, interval) if by_errno else _sums(family, snapshot, interval)
        )
        metric.sum.data_points.extend(points)
    else:
        metric.gauge.data_points.extend(_gauges(family, snapshot, interval))
    return metric


def _name(name: str) -> str:
    return name.removesuffix(_SECONDS).replace("_", ".")


def _unit(name: str) -> str:
    if name.endswith(_SECONDS):
        return "s"
    return "By" if name.endswith(_BYTES) else ""


def _sums(family: Family, snapshot: Snapshot, interval: Interval) -> Iterator[NumberDataPoint]:
    for sample in family.samples:
        yield _point(sample.value, _attributes_of(sample.labels, snapshot), interval)


def _gauges(family: Family, snapshot: Snapshot, interval: Interval) -> Iterator[NumberDataPoint]:
    for sample in family.samples:
        labels = _attributes_of(sample.labels, snapshot)
        yield _point(sample.value, labels, interval, is_gauge=True)


def _attributes_of(labels: dict[str, str], snapshot: Snapshot) -> dict[str, str]:
    """Return the labels of a series, and the attributes of its group."""
    if "group" not in labels:
        return labels
    return {**labels, **group_attributes(snapshot.sums.group_infos.get(labels["group"]))}


def _point(
    value: float, labels: dict[str, str], interval: Interval, *, is_gauge: bool = False
) -> NumberDataPoint:
    point = NumberDataPoint(
        attributes=attributes(labels),
        start_time_unix_nano=0 if is_gauge else interval.start_ns,
        time_unix_nano=interval.end_ns,
    )
    # Counts are exact: not every integer is a double.
    if isinstance(value, int):
        point.as_int = value
    else:
        point.as_double = value
    return point


def _errors(calls: Iterable[CallStat], interval: Interval) -> Iterator[NumberDataPoint]:
    for call in calls:
        for errno, count in _errnos(call.tally).items():
            yield _point(count, {**_labels(call), "error.type": errno}, interval)


def _errnos(tally: CallTally) -> dict[str, int]:
    """Return the errors by errno, and those of which no errno is known; their sum is exact."""
    errnos = {name: count for name, count in tally.errnos.items() if name != OTHER_ERRNOS}
    # eBPF reads the errnos after the sums, and may have counted more of them by then.
    if (rest := tally.errors - sum(errnos.values())) > 0:
        errnos[_OTHER_ERROR] = rest
    return errnos


def _durations(
    calls: Iterable[CallStat], interval: Interval
) -> Iterator[ExponentialHistogramDataPoint]:
    for call in calls:
        tally = call.tally
        if not tally.timed:
            continue
        point = ExponentialHistogramDataPoint(
            attributes=attributes(_labels(call)),
            start_time_unix_nano=interval.start_ns,
            time_unix_nano=interval.end_ns,
            count=tally.timed,
            sum=tally.total_ns / 1e9,
            min=tally.min_ns / 1e9,
            max=tally.max_ns / 1e9,
            scale=SCALE,
        )
        found = buckets(tally.histogram)
        point.zero_count = found.zeros
        point.positive.offset = found.offset
        point.positive.bucket_counts.extend(found.counts)
        yield point


def _labels(call: CallStat) -> dict[str, str]:
    return {"syscall": call.name, "category": call.category.value}
