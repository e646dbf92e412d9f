"""The metrics of what was pushed to a collector."""

from collections.abc import Iterator, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from syswatch.model.pushes import PushState

_SIGNAL = ("signal",)


def push_metrics(pushes: Sequence[PushState]) -> Iterator[Metric]:
    """Yield the counts of each signal."""
    requests = CounterMetricFamily(
        "syswatch_otlp_requests",
        "OTLP requests that were accepted or rejected by the collector, or dropped.",
        labels=("signal", "outcome"),
    )
    items = CounterMetricFamily(
        "syswatch_otlp_rejected_items",
        "Points, records or spans of accepted OTLP requests that the collector rejected.",
        labels=_SIGNAL,
    )
    retries = CounterMetricFamily(
        "syswatch_otlp_retries", "OTLP requests that were sent again.", labels=_SIGNAL
    )
    queue = GaugeMetricFamily(
        "syswatch_otlp_queue", "OTLP requests that are yet to be accepted.", labels=_SIGNAL
    )
    encoding = CounterMetricFamily(
        "syswatch_otlp_encoding_seconds", "Time spent on encoding OTLP requests.", labels=_SIGNAL
    )
    for each in pushes:
        requests.add_metric((each.signal, "accepted"), each.accepted)
        requests.add_metric((each.signal, "rejected"), each.rejected)
        requests.add_metric((each.signal, "dropped"), each.dropped)
        items.add_metric((each.signal,), each.rejected_items)
        retries.add_metric((each.signal,), each.retries)
        queue.add_metric((each.signal,), each.queued)
        encoding.add_metric((each.signal,), each.encoding_ns / 1e9)
    yield from (requests, items, retries, queue, encoding)
