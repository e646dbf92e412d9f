"""The metrics of groups of processes, for Prometheus."""

from collections.abc import Iterator, Mapping
from typing import Self

from prometheus_client.core import CounterMetricFamily
from prometheus_client.metrics_core import Metric

from syswatch.base.classes import define
from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.groups import OTHER_GROUPS, by_group
from syswatch.model.snapshot import Snapshot

from .call_metrics import OTHER
from .metric_names import MetricNames

_LABELS = ("group",)
_SECOND_NS = 1e9


@define
class GroupMetrics:
    """The metrics of groups; it remembers which of them have series."""

    _names: MetricNames

    @classmethod
    def at_most(cls, rows: int) -> Self:
        """Return those of so many groups, the one that stands for all others included."""
        return cls(MetricNames(rows))

    def rows(self, snapshot: Snapshot) -> dict[str, Sums]:
        """Return the sums by label; those of the groups without series are added up."""
        groups = by_group(snapshot.sums.groups)
        ranked = sorted(groups.keys() - {OTHER_GROUPS}, key=lambda each: -groups[each].count)
        named = self._names.choose(ranked)
        rows = {each: groups[each] for each in ranked if each in named}
        others = [sums for each, sums in groups.items() if each not in named]
        if others:
            rows[OTHER] = sum(others, NO_SUMS)
        return rows


def group_families(rows: Mapping[str, Sums]) -> Iterator[Metric]:
    """Yield the counters; without groups, only their descriptions."""
    calls = CounterMetricFamily(
        "syswatch_group_calls", "System calls that returned, by group.", labels=_LABELS
    )
    errors = CounterMetricFamily(
        "syswatch_group_errors", "System calls that returned an error.", labels=_LABELS
    )
    spent = CounterMetricFamily(
        "syswatch_group_time_seconds", "Time spent in system calls.", labels=_LABELS
    )
    waiting = CounterMetricFamily(
        "syswatch_group_waiting_seconds", "Time waiting in system calls.", labels=_LABELS
    )
    for name, sums in rows.items():
        calls.add_metric((name,), sums.count)
        errors.add_metric((name,), sums.errors)
        spent.add_metric((name,), sums.total_ns / _SECOND_NS)
        waiting.add_metric((name,), sums.waiting_ns / _SECOND_NS)
    yield from (calls, errors, spent, waiting)
