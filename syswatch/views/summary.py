"""The summary for a person: a headline, a table of calls, and what is not exact."""

from collections.abc import Iterator, Sequence

from syswatch.model.ledger import Weight
from syswatch.model.snapshot import CallStat, Snapshot, call_stats

from .colors import Paint
from .fidelity import notes_of
from .numbers import duration, long_duration, plural, share
from .table import GAP, Cell, Column, align

_COLUMNS = (
    Column("CALL", is_number=False),
    Column("CATEGORY", is_number=False, rank=3),
    Column("CALLS"),
    Column("ERRORS"),
    Column("TOTAL"),
    Column("TIME%", rank=5),
    Column("AVG", rank=1),
    Column("P95", rank=6),
    Column("P99", rank=4),
    Column("MAX", rank=2),
    Column("TOP ERRNO", is_number=False),
)
_NOTHING = Cell("-", "dim")
# From here on a failing call is worth a colour.
_MANY_ERRORS = 0.5


def summary(
    snapshot: Snapshot, paint: Paint, *, odd_lines: bool = False, width: int | None = None
) -> str:
    """Return the whole summary, ending with a newline; its tables fit into a width if they can."""
    lines = [paint(_headline(snapshot), "title"), ""]
    lines += _table(snapshot.calls, paint, width)
    for pid, calls in sorted(snapshot.sums.by_process.items()):
        process = snapshot.sums.processes.get(pid)
        lines += ["", paint(f"process {pid} {process.comm if process else ''}".rstrip(), "title")]
        lines += _table(call_stats(calls, {}, {}), paint, width)
    lines += _notes(snapshot, paint, odd_lines=odd_lines)
    return "\n".join(lines) + "\n"


def _headline(snapshot: Snapshot) -> str:
    parts = [f"{plural(snapshot.total, 'call')} of {plural(len(snapshot.calls), 'kind')}"]
    if snapshot.elapsed_ns:
        parts.append(f"in {long_duration(snapshot.elapsed_ns)}")
    failed = snapshot.errors / snapshot.total if snapshot.total else 0.0
    parts.append(f"· {snapshot.errors:,} failed ({share(failed)})")
    if snapshot.total_ns:
        parts.append(f"· {duration(snapshot.total_ns)} in calls")
    return " ".join(parts)


def _table(calls: Sequence[CallStat], paint: Paint, width: int | None) -> Iterator[str]:
    total_ns = sum(call.tally.total_ns for call in calls)
    for row in align(_COLUMNS, [_row(call, total_ns) for call in calls], width):
        yield GAP.join(paint(cell.text, cell.ink) for cell in row)


def _row(call: CallStat, total_ns: int) -> list[Cell]:
    tally = call.tally
    ink = "failing" if call.error_share >= _MANY_ERRORS else ""
    timed = bool(tally.histogram.counts)

    def time(nanoseconds: int) -> Cell:
        return Cell(duration(nanoseconds)) if timed else _NOTHING

    return [
        Cell(call.name),
        Cell(call.category, "dim"),
        Cell(f"{tally.count:,}"),
        Cell(f"{tally.errors:,}", ink) if tally.errors else _NOTHING,
        time(tally.total_ns),
        Cell(share(tally.total_ns / total_ns)) if timed and total_ns else _NOTHING,
        time(tally.average_ns),
        time(call.p95_ns),
        time(call.p99_ns),
        time(tally.max_ns),
        Cell(tally.top_errno, ink) if tally.errors else _NOTHING,
    ]


def _notes(snapshot: Snapshot, paint: Paint, *, odd_lines: bool) -> Iterator[str]:
    ledger = snapshot.sums.ledger
    lost = notes_of(ledger, Weight.LOST)
    noted = notes_of(ledger, Weight.NOTED, Weight.SAMPLED)
    if snapshot.trouble or lost or noted:
        yield ""
    if snapshot.trouble:
        yield paint(f"cut short: {snapshot.trouble}", "slow")
    for note in lost:
        yield paint(f"not exact: {note}", "slow")
    for note in noted:
        yield paint(f"note: {note}", "dim")
    if odd_lines:
        for line in snapshot.sums.odd_lines:
            yield f"  not understood: {line}"
