"""Snapshots for tests of views: a few calls, as an aggregator would show them."""

from collections.abc import Mapping

import attrs

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.messages import Ended, Started
from syswatch.model.process import ProcessInfo
from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.model.window import SecondTotals, Window

BEGIN_S = 1_700_000_000


def tally(count: int, errnos: Mapping[str, int] | None = None, *, each_ns: int = 1000) -> CallTally:
    """Return calls that all took the same time."""
    return CallTally(
        count=count,
        errors=sum((errnos or {}).values()),
        total_ns=count * each_ns,
        min_ns=each_ns,
        max_ns=each_ns,
        histogram=Histogram.of([each_ns] * count),
        errnos=errnos or {},
    )


def per_second(rates: Mapping[str, list[int]]) -> Window:
    """Return a window with these numbers of calls of each name in successive seconds."""
    length = max(map(len, rates.values()))
    return Window(
        {
            BEGIN_S + at: {name: SecondTotals(count=counts[at]) for name, counts in rates.items()}
            for at in range(length)
        }
    )


def snapshot_of(
    delta: Delta, *, process: ProcessInfo | None = None, done: bool = False
) -> Snapshot:
    """Return the snapshot of one delta; its span is that of its window, if it has none."""
    aggregator = Aggregator()
    aggregator.started(Started("test", process or ProcessInfo()))
    aggregator.add(delta if delta.span else attrs.evolve(delta, span=_span(delta.window)))
    if done:
        aggregator.ended(Ended())
    return aggregator.snapshot()


def _span(window: Window) -> Span | None:
    if not window.seconds:
        return None
    first, last = min(window.seconds), max(window.seconds)
    return Span(first * SECOND_NS, last * SECOND_NS + SECOND_NS - 1)
