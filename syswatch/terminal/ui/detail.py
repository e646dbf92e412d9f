"""The page of one system call: totals, latency histogram, errors, reference."""

from collections.abc import Iterator, Mapping

from syswatch.model.catalog import lookup
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.views import record_builders, records
from syswatch.views.durations import Row, rows
from syswatch.views.formatting import duration, per_second, share

from .styled_text import Line, align_left, align_right, join_lines, wrap

_BAR_CELLS = 30
_MAX_BARS = 16


def detail(snapshot: Snapshot, name: str, width: int) -> list[Line]:
    """Return the lines of a call's page."""
    call = snapshot.call(name)
    if call is None:
        return [[(f"No {name} calls", "dim")]]
    record = record_builders.syscall_detail(snapshot, call)
    return [
        *_totals(call),
        *_histogram(call),
        *_errors(call),
        *_recent_errors(record),
        *_reference(name, width),
    ]


def _totals(call: CallStat) -> Iterator[Line]:
    tally = call.tally
    failed = f"{tally.errors:,} ({share(call.error_share)})" if tally.errors else "–"
    yield _pairs(
        {
            "calls": f"{tally.count:,}",
            "rate": f"{per_second(call.rate)} /s",
            "errors": failed,
            "errors (60 s)": f"{call.errors_60s:,}" if call.errors_60s else "–",
        }
    )
    if not tally.timed:
        yield [("Durations were not recorded", "dim")]
        return
    yield _pairs({"total": duration(tally.total_ns), "average": duration(tally.average_ns)})
    times = {"min": tally.min_ns, "P50": call.p50_ns, "P95": call.p95_ns, "P99": call.p99_ns}
    yield _pairs({k: duration(v) for k, v in {**times, "max": tally.max_ns}.items()})


def _pairs(values: Mapping[str, str]) -> Line:
    return join_lines(
        [[(f"{name} ", "dim"), (value, "title")] for name, value in values.items()], "   "
    )


def _histogram(call: CallStat) -> Iterator[Line]:
    shown = rows(call.tally.histogram, _MAX_BARS)
    if not shown:
        return
    yield from _title("Latency")
    peak = max(row.count for row in shown)
    percentiles = {"P50": call.p50_ns, "P95": call.p95_ns, "P99": call.p99_ns}
    for row in shown:
        bar = "█" * (max(1, round(_BAR_CELLS * row.count / peak)) if row.count else 0)
        contained = " ".join(name for name, ns in percentiles.items() if row.holds(ns))
        yield [
            (align_right(_upper_bound(row), 12) + "  ", "dim"),
            (align_left(bar, _BAR_CELLS), call.category.value),
            (align_right(f"{row.count:,}" if row.count else "–", 12), "" if row.count else "dim"),
            (f"  {contained}", "dim"),
        ]


def _upper_bound(row: Row) -> str:
    return f"≥ {duration(row.from_ns)}" if row.below_ns is None else f"< {duration(row.below_ns)}"


def _errors(call: CallStat) -> Iterator[Line]:
    if not call.tally.errnos:
        return
    yield from _title("Errors")
    meanings = {note.name: note.meaning for note in getattr(lookup(call.name), "errnos", ())}
    for name, times in sorted(call.tally.errnos.items(), key=lambda item: (-item[1], item[0])):
        yield [
            (align_left(name, 16), "failing"),
            (align_right(f"{times:,}", 10), ""),
            (align_right(share(times / call.tally.errors), 8), "dim"),
            ("  " + meanings.get(name, ""), "dim"),
        ]


def _recent_errors(record: records.SyscallDetail) -> Iterator[Line]:
    samples = record.recent_errors
    if not isinstance(samples, list):
        return
    yield from _title("Recent errors")
    for sample in reversed(samples):
        yield [
            (sample.time[11:26] + " ", "dim"),
            (f"{sample.pid} ", "dim"),
            (align_left(sample.errno, 12), "failing"),
            (sample.args, ""),
        ]


def _reference(name: str, width: int) -> Iterator[Line]:
    reference = record_builders.reference(lookup(name))
    yield from _title(f"Reference ({reference.category})")
    if not reference.signature:
        yield [("No description available", "dim")]
        return
    yield from wrap(reference.description, width - 1)
    yield [(reference.signature, "live")]
    yield from wrap(f"Returns: {reference.returns}", width - 1, "dim")
    yield from wrap(reference.advice, width - 1)
    for note in reference.errnos:
        yield [(align_left(note.name, 16), "slow"), (note.meaning, "dim")]


def _title(text: str) -> Iterator[Line]:
    yield []
    yield [(text, "title")]
