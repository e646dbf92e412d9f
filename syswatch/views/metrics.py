"""The metrics of a snapshot, for Prometheus."""

from collections.abc import Iterator, Mapping

import attrs
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.metrics_core import Metric

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot, categories

from .call_metrics import CallMetrics
from .push_metrics import push_metrics
from .time_metrics import time_metrics


@frozen
class Runtime:
    """Measurements of the server itself."""

    version: str
    ws_clients: int = 0
    ws_dropped: int = 0


def metrics(snapshot: Snapshot, runtime: Runtime, calls: CallMetrics) -> Iterator[Metric]:
    """Yield every metric of the trace and of the server."""
    yield from trace_metrics(snapshot, calls)
    yield from _server(runtime)


def trace_metrics(snapshot: Snapshot, calls: CallMetrics) -> Iterator[Metric]:
    """Yield every metric of the trace, and of what became of it elsewhere."""
    yield from calls.families(snapshot.calls)
    times = {
        category.value: tally.total_ns / 1e9
        for category, tally in categories(snapshot.calls).items()
    }
    yield _by_label("syswatch_time_seconds", "Time spent in system calls.", "category", times)
    yield from time_metrics(snapshot)
    yield from _trace(snapshot)
    if snapshot.pushes:
        yield from push_metrics(snapshot.pushes)


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
