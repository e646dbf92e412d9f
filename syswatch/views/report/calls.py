"""The system calls of the report: the table, and the details of each."""

from collections.abc import Iterator, Sequence

from syswatch.model.catalog.entries import lookup
from syswatch.model.entries import Failure
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.views.budget.calls import calls
from syswatch.views.column import Column, Kind, Totals
from syswatch.views.columns import COLUMNS, REPORT
from syswatch.views.formatting import duration, plural, rfc3339

from .histogram import histogram
from .markup import Markup, quantity, tag
from .objects import slowest_table
from .table import (
    NO_CALLS,
    NOTHING,
    Cell,
    TableColumn,
    bar,
    category_chip,
    number,
    table,
    time,
    times,
)

# Keeps the file small enough to mail; other calls are in the table only.
MOST_DETAILS = 100
MOST_SAMPLES = 5
_LONGEST_ARGUMENTS = 240
_COLUMNS = [
    TableColumn(column.short_title, not column.is_number)
    for column in map(COLUMNS.__getitem__, REPORT)
]
_ORDER = "In the order of the time that was not idle."


def call_table(snapshot: Snapshot) -> Markup:
    """Return the table of all calls, the costliest first."""
    found = calls(snapshot)
    if not found:
        return NO_CALLS
    totals = Totals.of(found)
    detailed = {call.name for call in _detailed(snapshot)}
    rows = (
        [_cell(COLUMNS[key], call, totals, linked=call.name in detailed) for key in REPORT]
        for call in found
    )
    shown = table(_COLUMNS, rows, kind="sortable")
    return tag("div", (tag("p", _ORDER, class_="dim"), shown), class_="noted")


def details(snapshot: Snapshot) -> Iterator[Markup]:
    """Yield a collapsible section for each of the costliest calls, and how many have none."""
    found = _detailed(snapshot)
    if not found:
        yield NO_CALLS
    if rest := len(snapshot.calls) - len(found):
        text = f"Omitted here: the calls that took the least time ({rest:,})."
        yield tag("p", text, class_="dim")
    for call in found:
        head = tag(
            "summary", (tag("code", call.name), " ", tag("span", _summary(call), class_="dim"))
        )
        samples = snapshot.sums.failures.get(call.name, ())
        yield tag(
            "details",
            (head, tag("div", _about(snapshot, call, samples), class_="detail")),
            id=f"call-{call.name}",
        )


def _detailed(snapshot: Snapshot) -> list[CallStat]:
    return [call for call in calls(snapshot) if call.tally.count][:MOST_DETAILS]


def _cell(column: Column, call: CallStat, totals: Totals, *, linked: bool) -> Cell:
    value = column.value(call, totals)
    match column.kind:
        case Kind.TEXT:
            return _text_cell(column, call, linked=linked)
        case Kind.BAR:
            return Cell(bar(float(value or 0)), kind="bar-cell")
        case Kind.COUNT:
            return times(int(value or 0))
        case Kind.TIME:
            return time(int(value or 0))
    content = NOTHING if value is None else quantity(column.text(value))
    is_failing = column.is_of_errors and call.is_mostly_failing
    return Cell(content, value or 0, "failing" if is_failing else "")


def _text_cell(column: Column, call: CallStat, *, linked: bool) -> Cell:
    if column.key == "name":
        name = tag("a", call.name, href=f"#call-{call.name}") if linked else call.name
        return Cell(name, call.name, "code")
    if column.key == "category":
        return Cell(category_chip(call.category), call.category.value)
    return Cell(call.tally.top_errno or NOTHING, kind="code")


def _summary(call: CallStat) -> str:
    entry = lookup(call.name)
    return entry.summary if entry else ""


def _about(snapshot: Snapshot, call: CallStat, samples: Sequence[Failure]) -> Iterator[Markup]:
    tally = call.tally
    took = f"from {duration(tally.min_ns)} to {duration(tally.max_ns)}"
    timed = (
        f"{duration(tally.total_ns)} in total, {took}"
        if tally.timed
        else "no duration was measured"
    )
    yield tag("p", f"{plural(tally.count, 'call')}, {tally.errors:,} failed; {timed}.")
    yield histogram(call)
    if snapshot.sums.slowest.by_call.get(call.name):
        yield tag("h3", "Slowest calls")
        yield slowest_table(snapshot, call.name)
    yield from _errors(call, samples)
    yield from _reference(call.name)


def _errors(call: CallStat, samples: Sequence[Failure]) -> Iterator[Markup]:
    if not call.tally.errnos:
        return
    entry = lookup(call.name)
    meanings = {note.name: note.meaning for note in entry.errnos} if entry else {}
    ranked = sorted(call.tally.errnos.items(), key=lambda item: (-item[1], item[0]))
    columns = (
        TableColumn("Errno", is_word=True),
        TableColumn("Count"),
        TableColumn("Meaning", is_word=True),
    )
    yield table(
        columns,
        [
            (
                Cell(errno, kind="code failing"),
                number(f"{met:,}", met),
                Cell(meanings.get(errno, ""), kind="wrap"),
            )
            for errno, met in ranked
        ],
    )
    if samples:
        yield tag("h3", "Latest failures")
        yield _samples(samples[-MOST_SAMPLES:])


def _samples(samples: Sequence[Failure]) -> Markup:
    columns = [
        TableColumn(title, is_word=True) for title in ("Time", "Process", "Errno", "Arguments")
    ]
    rows = (
        (
            Cell(rfc3339(sample.time_ns)[11:26] or NOTHING, kind="code dim"),
            Cell(str(sample.pid or NOTHING), kind="dim"),
            Cell(sample.errno, kind="code failing"),
            Cell(_short(sample.args), kind="code wrap"),
        )
        for sample in reversed(samples)
    )
    return table(columns, rows)


def _reference(name: str) -> Iterator[Markup]:
    entry = lookup(name)
    if entry is not None and entry.summary:
        yield tag("pre", entry.signature)
        yield tag("p", f"Returns {entry.returns}.")
        yield tag("p", entry.advice, class_="advice")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_ARGUMENTS else text[:_LONGEST_ARGUMENTS] + "…"
