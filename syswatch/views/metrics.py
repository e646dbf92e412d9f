"""The metrics of a snapshot, for Prometheus."""

from collections.abc import Iterator, Mapping

import attrs
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.metrics_core import Metric

from syswatch.model.histogram import Histogram, upper_bound
from syswatch.model.snapshot import CallStat, Snapshot

from .time_metrics import time_metrics

_LABELS = ("syscall", "category")
# Powers of four from 128 ns to 137 s: edges of histogram buckets, so that the counts are exact.
_EDGES_NS = tuple(4**power << 7 for power in range(16))


@attrs.frozen
class Runtime:
    """Measurements of the server itself."""

    version: str
    ws_clients: int = 0
    ws_dropped: int = 0


def metrics(snapshot: Snapshot, runtime: Runtime) -> Iterator[Metric]:
    """Yield every metric of the trace and of the server."""
    yield from _calls(snapshot.calls)
    yield from time_metrics(snapshot)
    yield from _trace(snapshot)
    yield from _server(runtime)


def _calls(calls: tuple[CallStat, ...]) -> Iterator[Metric]:
    count = CounterMetricFamily(
        "syswatch_syscall_calls", "System calls that returned.", labels=_LABELS
    )
    errors = CounterMetricFamily(
        "syswatch_syscall_errors", "System calls that returned an error.", labels=_LABELS
    )
    latency = HistogramMetricFamily(
        "syswatch_syscall_latency_seconds", "Time from entry to return.", labels=_LABELS
    )
    times: dict[str, float] = {}
    for call in calls:
        labels = (call.name, call.category.value)
        count.add_metric(labels, call.tally.count)
        errors.add_metric(labels, call.tally.errors)
        latency.add_metric(labels, _buckets(call.tally.histogram), call.tally.total_ns / 1e9)
        times[labels[1]] = times.get(labels[1], 0.0) + call.tally.total_ns / 1e9
    yield count
    yield errors
    yield latency
    yield _by_label("syswatch_time_seconds", "Time spent in system calls.", "category", times)


def _trace(snapshot: Snapshot) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "syswatch_syscalls_per_second",
        "System calls per second, averaged over the last four seconds.",
        snapshot.rate,
    )
    yield GaugeMetricFamily(
        "syswatch_tracer_backlog",
        "Calls that the tracer has counted but not yet delivered.",
        snapshot.backlog,
    )
    yield GaugeMetricFamily("syswatch_target_done", "1 if the trace has ended.", int(snapshot.done))
    yield GaugeMetricFamily(
        "syswatch_exact", "1 if no data was lost or cut off.", int(snapshot.is_exact)
    )
    ledger: Mapping[str, float] = attrs.asdict(snapshot.sums.ledger)
    yield _by_label(
        "syswatch_ledger", "Events that make numbers less than exact, by kind.", "entry", ledger
    )


def _server(runtime: Runtime) -> Iterator[Metric]:
    yield GaugeMetricFamily("syswatch_ws_clients", "Connected stream clients.", runtime.ws_clients)
    yield CounterMetricFamily(
        "syswatch_ws_dropped_clients",
        "Stream clients that were dropped because they read too slowly.",
        runtime.ws_dropped,
    )
    yield InfoMetricFamily(
        "syswatch_build", "The version of syswatch.", {"version": runtime.version}
    )


def _by_label(
    name: str, documentation: str, label: str, values: Mapping[str, float]
) -> CounterMetricFamily:
    family = CounterMetricFamily(name, documentation, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family


def _buckets(histogram: Histogram) -> list[tuple[str, float]]:
    """Return the cumulative counts at each edge, as the format requires."""
    counts = sorted(histogram.counts.items())
    running, index, buckets = 0, 0, []
    for edge in _EDGES_NS:
        while index < len(counts) and upper_bound(counts[index][0]) < edge:
            running += counts[index][1]
            index += 1
        # Durations are whole nanoseconds: below the edge is at most one less.
        buckets.append((repr((edge - 1) / 1e9), float(running)))
    buckets.append(("+Inf", float(histogram.total)))
    return buckets
