"""Parts of answers, made of arrays."""

from collections.abc import Iterable
from typing import Any

from syswatch.model.times import SECOND_NS
from syswatch.recording.extra import load
from syswatch.views.formatting import duration, plural

from .details import identifier
from .numbering import Numbering
from .picture import Drawn, View
from .records import Bins, LongestCall, Losses, Slices
from .tables import Row

_SUMS = ("calls", "errors", "working", "waiting", "ready")


def verdict(calls: int, threads: int, length_ns: int, longest: LongestCall | None) -> str:
    """Return what a recording shows, in one sentence without its end."""
    if not calls:
        return "No calls have been recorded yet"
    sums = f"{plural(calls, 'call')} of {plural(threads, 'thread')} in {duration(length_ns)}"
    if longest is None:
        return sums
    on = f" of {longest.object_}" if longest.object_ else ""
    at_least = "at least " if longest.untimed else ""
    took = f"{at_least}{duration(longest.duration)}"
    return f"{sums}; the longest single call: {longest.name}{on}, {took}"


def bins(drawn: Drawn, origin_ns: int) -> Bins:
    """Return the sums of columns by lane, with the category of the most time of each."""
    numpy = load("numpy")
    rows = drawn.rows
    # The rows are in the order of intervals, lanes and categories, which are in place of names.
    is_new = numpy.ones(len(rows), bool)
    is_new[1:] = (numpy.diff(rows.start) != 0) | (numpy.diff(rows.lane) != 0)
    firsts = numpy.flatnonzero(is_new)

    def total(values: Any) -> list[int]:
        return _list(numpy.add.reduceat(values, firsts)) if len(firsts) else []

    time = rows.working + rows.waiting + rows.ready
    group = numpy.cumsum(is_new)
    # The last row of each group has the most time then, or the most calls.
    order = numpy.lexsort((rows.calls, time, group))
    lasts = numpy.append(firsts[1:], len(rows)) - 1 if len(firsts) else firsts
    return Bins(
        step=drawn.step_ns,
        start=_list(rows.start[firsts] - origin_ns),
        lane=_list(rows.lane[firsts]),
        **{name: total(getattr(rows, name)) for name in _SUMS},
        longest=_list(numpy.maximum.reduceat(rows.longest, firsts)) if len(firsts) else [],
        category=_list(rows.name[order][lasts]),
    )


def slices(drawn: Drawn, numbering: Numbering, origin_ns: int) -> Slices:
    """Return single calls."""
    numpy = load("numpy")
    rows = drawn.rows
    used, names = numpy.unique(rows.name, return_inverse=True)
    places = zip(rows.segment.tolist(), rows.row.tolist(), strict=True)
    return Slices(
        names=[numbering.names[each] for each in used],
        category=[numbering.categories[each] for each in used],
        id=[identifier(segment, row) for segment, row in places],
        lane=_list(rows.lane),
        start=_list(rows.start - origin_ns),
        # A call that has not returned has no longest duration, but it lasts until the end.
        duration=_list(numpy.where(drawn.unfinished, -1, rows.end - rows.start)),
        waiting=_list(rows.waiting),
        name=_list(names),
        failed=_list(rows.errors),
        # Only these last without a longest duration.
        untimed=((rows.longest == 0) & (rows.end > rows.start) & ~drawn.unfinished).tolist(),
    )


def losses(rows: Iterable[Row], view: View, numbering: Numbering, origin_ns: int) -> Losses:
    """Return which calls of a view are missing."""
    lanes = numbering.threads()
    some = [
        row
        for row in rows
        if (row["second"] + 1) * SECOND_NS > view.from_ns and row["second"] * SECOND_NS < view.to_ns
    ]
    return Losses(
        [lanes.get(row["tid"], -1) for row in some],
        [row["second"] * SECOND_NS - origin_ns for row in some],
        [row["count"] for row in some],
    )


def _list(values: Any) -> list[int]:
    numbers: list[int] = values.tolist()
    return numbers
