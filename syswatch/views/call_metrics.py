"""The metrics of single system calls, for Prometheus."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Self

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from syswatch.base.classes import define, frozen
from syswatch.model.histogram import Histogram
from syswatch.model.snapshot import CallStat
from syswatch.model.times import add_ns
from syswatch.settings.metric_limits import MetricLimits

from .metric_histograms import classic, edges_ns, native
from .metric_names import MetricNames

_LABELS = ("syscall", "category")
OTHER = "other"
OTHER_CATEGORY = "mixed"
# Exporters of other formats write these two with more detail.
ERRORS = "syswatch_syscall_errors"
LATENCY = "syswatch_syscall_latency_seconds"


@frozen
class _Row:
    """The numbers of one call, or of all that have no row."""

    name: str
    category: str
    count: int
    errors: int
    total_ns: int
    histogram: Histogram

    @property
    def labels(self) -> tuple[str, str]:
        """The values of the labels."""
        return self.name, self.category


@define
class _Rows:
    """The calls that have a row; the last row is kept for all others."""

    _names: MetricNames

    @classmethod
    def at_most(cls, most: int) -> Self:
        """Return a table of so many rows."""
        return cls(MetricNames(most))

    def of(self, calls: Iterable[CallStat]) -> Iterator[_Row]:
        """Yield the rows; the busiest of the new calls get those that are free."""
        ranked = [call for call in calls if call.name != OTHER]
        ranked.sort(key=lambda call: (-call.tally.total_ns, -call.tally.count, call.name))
        named = self._names.choose(call.name for call in ranked)
        others = []
        for call in calls:
            if call.name in named:
                yield _row(call)
            else:
                others.append(call)
        if others:
            yield _sum(others)


@define
class CallMetrics:
    """The metrics of calls in one format; it remembers which calls have rows."""

    _counters: _Rows
    _histograms: _Rows
    _add_histogram: Callable[[HistogramMetricFamily, _Row], None]

    @classmethod
    def classic(cls, limits: MetricLimits) -> Self:
        """Return those of the text formats, where each edge of a histogram is a series."""
        counters, histograms = limits.rows(limits.histogram_series)
        add = partial(_add_classic, edges=edges_ns(limits.buckets))
        return cls(_Rows.at_most(counters), _Rows.at_most(histograms), add)

    @classmethod
    def native(cls, limits: MetricLimits) -> Self:
        """Return those of the protobuf format, where a histogram is one series."""
        counters, histograms = limits.rows(1)
        return cls(_Rows.at_most(counters), _Rows.at_most(histograms), _add_native)

    @classmethod
    def without_histograms(cls) -> Self:
        """Return those of every call, for an exporter that has histograms of its own."""
        return cls(_Rows.at_most(sys.maxsize), _Rows.at_most(sys.maxsize), _add_nothing)

    def families(self, calls: tuple[CallStat, ...]) -> Iterator[Metric]:
        """Yield the counters and the histograms."""
        count = CounterMetricFamily(
            "syswatch_syscall_calls", "System calls that returned.", labels=_LABELS
        )
        errors = CounterMetricFamily(ERRORS, "System calls that returned an error.", labels=_LABELS)
        for row in self._counters.of(calls):
            count.add_metric(row.labels, row.count)
            errors.add_metric(row.labels, row.errors)
        yield count
        yield errors
        latency = HistogramMetricFamily(LATENCY, "Time from entry to return.", labels=_LABELS)
        for row in self._histograms.of(calls):
            self._add_histogram(latency, row)
        yield latency


def _add_classic(family: HistogramMetricFamily, row: _Row, edges: tuple[int, ...]) -> None:
    family.add_metric(row.labels, classic(row.histogram, edges), row.total_ns / 1e9)


def _add_native(family: HistogramMetricFamily, row: _Row) -> None:
    labels = dict(zip(_LABELS, row.labels, strict=True))
    family.add_sample(LATENCY, labels, 0, native_histogram=native(row.histogram, row.total_ns))


def _add_nothing(_family: HistogramMetricFamily, _row: _Row) -> None:
    pass


def _row(call: CallStat) -> _Row:
    tally = call.tally
    return _Row(
        call.name, call.category.value, tally.count, tally.errors, tally.total_ns, tally.histogram
    )


def _sum(calls: Iterable[CallStat]) -> _Row:
    count = errors = total_ns = 0
    buckets: Counter[int] = Counter()
    for call in calls:
        count += call.tally.count
        errors += call.tally.errors
        total_ns = add_ns(total_ns, call.tally.total_ns)
        buckets.update(call.tally.histogram.counts)
    return _Row(OTHER, OTHER_CATEGORY, count, errors, total_ns, Histogram(buckets))
