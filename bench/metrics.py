#!/usr/bin/env python3
"""
Measure what a scrape of `/metrics` costs the server: its CPU time, and the size of the answer.

    python bench/metrics.py [--calls N] [--rounds N] [--tiny]

There are many different calls, with durations that vary by a factor of a hundred within each.
Every scrape is computed anew, as the first one after a tick is; sending it is not included.
"""

import gzip
import random
import statistics
import time
from collections.abc import Callable, Iterable

import attrs
import common
from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from syswatch.codec.metrics_protobuf import encode_metrics
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.snapshot import Snapshot
from syswatch.settings.metric_limits import MetricLimits
from syswatch.views.call_metrics import CallMetrics
from syswatch.views.metrics import Runtime, metrics

CALLS = 300
SAMPLES = 3_000
MOST_MS = 100
# Enough for a classic histogram of every call.
UNLIMITED = MetricLimits(series=20_000)


@attrs.frozen
class Families(Collector):
    """Metrics as a collector, which is what the library encodes."""

    metrics: Iterable[Metric]

    def collect(self) -> Iterable[Metric]:
        """Return the metrics."""
        return self.metrics


def main() -> None:
    """Measure each format."""
    parser = common.parser("Measure what a scrape costs.")
    parser.add_argument("--calls", type=int, default=CALLS, help="different system calls")
    parser.add_argument("--rounds", type=int, default=9, help="rounds, of which the median counts")
    arguments = parser.parse_args()
    calls, rounds = (20, 1) if arguments.tiny else (arguments.calls, arguments.rounds)
    snapshot = snapshot_of(calls)
    buckets = sum(len(call.tally.histogram.counts) for call in snapshot.calls) / calls
    print(f"{calls} calls, with {buckets:.0f} buckets each that are not empty")
    measure("native", rounds, lambda: encode_native(snapshot, MetricLimits()))
    measure("text, 1000 series", rounds, lambda: encode_text(snapshot, MetricLimits()))
    measure("text, 20,000 series", rounds, lambda: encode_text(snapshot, UNLIMITED))


def snapshot_of(calls: int) -> Snapshot:
    """Return a snapshot of some calls."""
    generator = random.Random(1)  # noqa: S311  not a secret
    tallies = {}
    for number in range(calls):
        middle = generator.uniform(7, 17)
        durations = [int(generator.lognormvariate(middle, 1)) for _ in range(SAMPLES)]
        tallies[f"call{number}"] = CallTally(
            count=SAMPLES, total_ns=sum(durations), histogram=Histogram.of(durations)
        )
    aggregator = Aggregator()
    aggregator.add(Delta(calls=tallies))
    return aggregator.snapshot()


def encode_native(snapshot: Snapshot, limits: MetricLimits) -> bytes:
    """Return the protobuf format."""
    return encode_metrics(metrics(snapshot, Runtime("0"), CallMetrics.native(limits)))


def encode_text(snapshot: Snapshot, limits: MetricLimits) -> bytes:
    """Return the text format."""
    return generate_latest(Families(metrics(snapshot, Runtime("0"), CallMetrics.classic(limits))))


def measure(name: str, rounds: int, scrape: Callable[[], bytes]) -> None:
    """Print what a scrape in one format costs."""
    times_ms = []
    for _ in range(rounds):
        began = time.process_time()
        body = scrape()
        times_ms.append(1000 * (time.process_time() - began))
    size = f"{len(body) / 1000:.0f} kB, {len(gzip.compress(body, 3)) / 1000:.0f} kB compressed"
    what = f"ms of CPU for a scrape, {name}: {size}"
    common.judge(statistics.median(times_ms), what, MOST_MS, runs=times_ms)


if __name__ == "__main__":
    main()
