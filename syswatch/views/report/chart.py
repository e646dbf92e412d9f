"""The geometry of charts over time: bins, and stacked areas of steps."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from syswatch.base.classes import frozen
from syswatch.model.catalog import Category, category_of
from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.model.window import HISTORY_S, SecondTotals

# As many steps as a page can show.
MOST_BINS = 300


@frozen
class Bin:
    """Averages per second over some seconds."""

    calls: Mapping[Category, float]
    errors: float
    busy_ns: float


@frozen
class Timeline:
    """The seconds of a trace, in bins."""

    first: int
    last: int
    step: int
    bins: tuple[Bin, ...]


def timeline_of(snapshot: Snapshot) -> Timeline | None:
    """Return the newest fifteen minutes, or None if the trace has no clock."""
    seconds = snapshot.sums.window.seconds
    if not seconds or snapshot.now_ns is None:
        return None
    # A recording that others have written may have calls after its end.
    last = max(snapshot.now_ns // SECOND_NS, *seconds)
    first = max(min(seconds), last - HISTORY_S + 1)
    step = -(-(last - first + 1) // MOST_BINS)
    starts = range(first, last + 1, step)
    bins = tuple(_bin(seconds, at, min(at + step, last + 1)) for at in starts)
    return Timeline(first, last, step, bins)


def areas(columns: Sequence[Sequence[float]], height: float) -> tuple[list[str], float]:
    """Return a path for each part of the stacked columns, and the highest sum."""
    peak = max((sum(column) for column in columns), default=0.0)
    if not peak:
        return [], 0.0
    tops = [[height * (1 - top / peak) for top in accumulate(column)] for column in columns]
    parts = range(len(columns[0])) if columns else range(0)
    return [_area([_span(top, part, height) for top in tops]) for part in parts], peak


def _span(tops: Sequence[float], part: int, height: float) -> tuple[float, float]:
    return tops[part], tops[part - 1] if part else height


def _area(spans: Sequence[tuple[float, float]]) -> str:
    if all(top >= base for top, base in spans):
        return ""
    there = "".join(f"V{top:.1f}H{at + 1}" for at, (top, _) in enumerate(spans))
    back = "".join(f"V{base:.1f}H{at}" for at, (_, base) in reversed(list(enumerate(spans))))
    return f"M0,{spans[0][0]:.1f}{there}{back}Z"


def _bin(seconds: Mapping[int, Mapping[str, SecondTotals]], begin: int, end: int) -> Bin:
    length = end - begin
    calls: dict[Category, float] = {}
    errors = busy_ns = 0
    for at in range(begin, end):
        for name, totals in seconds.get(at, {}).items():
            category = category_of(name)
            calls[category] = calls.get(category, 0.0) + totals.count / length
            errors += totals.errors
            busy_ns += totals.total_ns
    return Bin(calls, errors / length, busy_ns / length)
