"""The page of one call: figures, histogram, errors, and what the catalog knows."""

from collections.abc import Iterator, Mapping

from syswatch.model.catalog import lookup
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.views import records, shapes
from syswatch.views.durations import Row, rows
from syswatch.views.numbers import duration, per_second, share

from .pieces import Line, joined, left, right, wrapped

_BAR_CELLS = 30
_MOST_BARS = 16


def detail(snapshot: Snapshot, name: str, width: int) -> list[Line]:
    """Return everything about one call."""
    call = snapshot.call(name)
    if call is None:
        return [[(f"{name} was not called", "dim")]]
    record = shapes.syscall_detail(snapshot, call)
    return [
        *_figures(call),
        *_histogram(call),
        *_errnos(call),
        *_recent(record),
        *_reference(name, width),
    ]


def _figures(call: CallStat) -> Iterator[Line]:
    tally = call.tally
    failed = f"{tally.errors:,} ({share(call.error_share)})" if tally.errors else "–"
    yield _pairs(
        {
            "calls": f"{tally.count:,}",
            "now": f"{per_second(call.rate)} /s",
            "errors": failed,
            "errors in 60 s": f"{call.errors_60s:,}" if call.errors_60s else "–",
        }
    )
    if not tally.timed:
        yield [("no call was timed", "dim")]
        return
    yield _pairs({"total": duration(tally.total_ns), "average": duration(tally.average_ns)})
    times = {"min": tally.min_ns, "P50": call.p50_ns, "P95": call.p95_ns, "P99": call.p99_ns}
    yield _pairs({k: duration(v) for k, v in {**times, "max": tally.max_ns}.items()})


def _pairs(values: Mapping[str, str]) -> Line:
    return joined(
        [[(f"{name} ", "dim"), (value, "title")] for name, value in values.items()], "   "
    )


def _histogram(call: CallStat) -> Iterator[Line]:
    shown = rows(call.tally.histogram, _MOST_BARS)
    if not shown:
        return
    yield from _title("How long it takes")
    peak = max(row.count for row in shown)
    marks = {"P50": call.p50_ns, "P95": call.p95_ns, "P99": call.p99_ns}
    for row in shown:
        bar = "█" * (max(1, round(_BAR_CELLS * row.count / peak)) if row.count else 0)
        inside = " ".join(name for name, ns in marks.items() if row.holds(ns))
        yield [
            (right(_extent(row), 12) + "  ", "dim"),
            (left(bar, _BAR_CELLS), call.category.value),
            (right(f"{row.count:,}" if row.count else "–", 12), "" if row.count else "dim"),
            (f"  {inside}", "dim"),
        ]


def _extent(row: Row) -> str:
    return f"≥ {duration(row.from_ns)}" if row.below_ns is None else f"< {duration(row.below_ns)}"


def _errnos(call: CallStat) -> Iterator[Line]:
    if not call.tally.errnos:
        return
    yield from _title("How it fails")
    meanings = {note.name: note.meaning for note in getattr(lookup(call.name), "errnos", ())}
    for name, times in sorted(call.tally.errnos.items(), key=lambda item: (-item[1], item[0])):
        yield [
            (left(name, 16), "failing"),
            (right(f"{times:,}", 10), ""),
            (right(share(times / call.tally.errors), 8), "dim"),
            ("  " + meanings.get(name, ""), "dim"),
        ]


def _recent(record: records.SyscallDetail) -> Iterator[Line]:
    samples = record.recent_errors
    if not isinstance(samples, list):
        return
    yield from _title("The newest failures")
    for sample in reversed(samples):
        yield [
            (sample.time[11:26] + " ", "dim"),
            (f"{sample.pid} ", "dim"),
            (left(sample.errno, 12), "failing"),
            (sample.args, ""),
        ]


def _reference(name: str, width: int) -> Iterator[Line]:
    reference = shapes.reference(lookup(name))
    yield from _title(f"What it is ({reference.category})")
    if not reference.signature:
        yield [("Nobody has described this call here yet.", "dim")]
        return
    yield from wrapped(reference.description, width - 1)
    yield [(reference.signature, "live")]
    yield from wrapped(f"Returns: {reference.returns}", width - 1, "dim")
    yield from wrapped(reference.advice, width - 1)
    for note in reference.errnos:
        yield [(left(note.name, 16), "slow"), (note.meaning, "dim")]


def _title(text: str) -> Iterator[Line]:
    yield []
    yield [(text, "title")]
