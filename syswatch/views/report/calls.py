"""The system calls of the report: the table, and what there is to say of each."""

from collections.abc import Iterator, Sequence

from syswatch.model.catalog import lookup
from syswatch.model.entries import Failure
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.views.numbers import duration, plural, share
from syswatch.views.timestamps import rfc3339

from .histogram import histogram
from .markup import Markup, quantity, tag
from .table import NOTHING, Cell, Column, bar, number, table, time, times
from .timeline import colour

# What a mail can carry; the calls beyond are in the table, and rare.
MOST_DETAILS = 100
MOST_SAMPLES = 5
_LONGEST_ARGUMENTS = 240
# From here on a failing call gets a colour: most of what it wants it does not get.
_MANY_ERRORS = 0.5
_COLUMNS = (
    Column("Call", is_word=True),
    Column("Cat", is_word=True),
    Column("Calls", first=True),
    Column(""),
    Column("Share"),
    Column("Avg"),
    Column("P95"),
    Column("P99"),
    Column("Max"),
    Column("Total"),
    Column("Errors"),
    Column("Err %"),
    Column("Errno", is_word=True),
)


def call_table(snapshot: Snapshot) -> Markup:
    """Return the table of all calls."""
    most = max((call.tally.count for call in snapshot.calls), default=1)
    total = snapshot.total
    detailed = {call.name for call in snapshot.calls[:MOST_DETAILS]}
    rows = (_row(call, total, most, linked=call.name in detailed) for call in snapshot.calls)
    return table(_COLUMNS, rows, kind="sortable")


def details(snapshot: Snapshot) -> Iterator[Markup]:
    """Return a part that opens for each of the commonest calls."""
    for call in snapshot.calls[:MOST_DETAILS]:
        head = tag(
            "summary", (tag("code", call.name), " ", tag("span", _digest(call), class_="dim"))
        )
        samples = snapshot.sums.failures.get(call.name, ())
        yield tag(
            "details",
            (head, tag("div", _about(call, samples), class_="detail")),
            id=f"call-{call.name}",
        )


def _row(call: CallStat, total: int, most: int, *, linked: bool) -> Sequence[Cell]:
    tally = call.tally
    name = tag("a", call.name, href=f"#call-{call.name}") if linked else call.name
    many = "failing" if call.error_share >= _MANY_ERRORS else ""
    return (
        Cell(name, call.name, "code"),
        Cell(tag("span", call.category, class_=f"chip {colour(call.category)}"), call.category),
        times(tally.count),
        Cell(bar(tally.count / most), kind="bar-cell"),
        number(quantity(share(tally.count / total)), tally.count),
        *_times(call),
        times(tally.errors),
        Cell(
            quantity(share(call.error_share)) if tally.errors else NOTHING, call.error_share, many
        ),
        Cell(tally.top_errno or NOTHING, kind="code"),
    )


def _times(call: CallStat) -> Iterator[Cell]:
    tally = call.tally
    known = bool(tally.histogram.counts)
    for each in (tally.average_ns, call.p95_ns, call.p99_ns, tally.max_ns, tally.total_ns):
        yield time(each) if known else Cell(NOTHING, 0)


def _digest(call: CallStat) -> str:
    entry = lookup(call.name)
    return entry.summary if entry else ""


def _about(call: CallStat, samples: Sequence[Failure]) -> Iterator[Markup]:
    tally = call.tally
    took = f"from {duration(tally.min_ns)} to {duration(tally.max_ns)}"
    timed = f"{duration(tally.total_ns)} in all, {took}" if tally.timed else "no duration is known"
    yield tag("p", f"{plural(tally.count, 'call')}, {tally.errors:,} failed; {timed}.")
    yield histogram(call)
    yield from _errors(call, samples)
    yield from _reference(call.name)


def _errors(call: CallStat, samples: Sequence[Failure]) -> Iterator[Markup]:
    if not call.tally.errnos:
        return
    entry = lookup(call.name)
    meanings = {note.name: note.meaning for note in entry.errnos} if entry else {}
    ranked = sorted(call.tally.errnos.items(), key=lambda item: (-item[1], item[0]))
    columns = (Column("Errno", is_word=True), Column("Times"), Column("Meaning", is_word=True))
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
    columns = [Column(title, is_word=True) for title in ("Time", "Process", "Errno", "Arguments")]
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


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST_ARGUMENTS else words[:_LONGEST_ARGUMENTS] + "…"
