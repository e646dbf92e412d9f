"""The summary for people: groups, where the time went, calls and objects, what is not exact."""

from collections.abc import Iterator, Sequence

from syswatch.model.ledger import Weight
from syswatch.model.snapshot import CallStat, Snapshot

from .budget.bar import MOST_CELLS, bar, legend
from .budget.budget import budget
from .budget.calls import calls
from .budget.lines import verdict_lines
from .budget.verdict import no_calls, verdict
from .column import Column, Totals
from .columns import COLUMNS, SUMMARY
from .findings import findings
from .formatting import duration, long_duration, plural, share
from .forms import CallSort
from .group_table import group_lines
from .object_table import object_table
from .status import notes_of, state
from .text_table import GAP, Cell, Paint, TextColumn, align, with_estimates

_COLUMNS = [
    TextColumn(COLUMNS[key].title.upper(), COLUMNS[key].is_number, rank)
    for key, rank in SUMMARY.items()
]
_WAITING = COLUMNS["waiting"].title.upper()


def summary(
    snapshot: Snapshot,
    paint: Paint,
    *,
    odd_lines: bool = False,
    width: int | None = None,
    sort: CallSort = CallSort.TIME,
) -> str:
    """Return the whole summary, ending with a newline; its tables fit into a width if they can."""
    lines = [*group_lines(snapshot, paint, width), *_time(snapshot, paint, width)]
    rows = calls(snapshot, sort=sort)
    lines.append(paint(_headline(snapshot, Totals.of(rows).total_ns), "title"))
    is_estimated = budget(snapshot).is_estimated
    columns = with_estimates(_COLUMNS, _WAITING) if is_estimated else _COLUMNS
    if rows:
        lines += ["", *_table(rows, columns, paint, width)]
    lines += _objects(snapshot, paint, width)
    for pid in sorted(snapshot.sums.by_process):
        process = snapshot.sums.processes.get(pid)
        lines += ["", paint(f"process {pid} {process.comm if process else ''}".rstrip(), "title")]
        lines += _table(calls(snapshot, pid, sort), columns, paint, width)
    lines += _notes(snapshot, paint, odd_lines=odd_lines)
    return "\n".join(lines) + "\n"


def _time(snapshot: Snapshot, paint: Paint, width: int | None) -> Iterator[str]:
    """Yield where the time went: a sentence, a bar and its legend."""
    spent = budget(snapshot)
    if not (snapshot.total or spent.wall_ns):
        return
    for line in verdict_lines(verdict(snapshot), width):
        yield paint(line, "title")
    share_of = snapshot.preferences.share
    if spent.whole(share_of):
        yield bar(spent, share_of, paint, min(width or MOST_CELLS, MOST_CELLS))
        yield legend(spent, share_of)
    yield from findings(snapshot, paint, width)
    yield ""


def _objects(snapshot: Snapshot, paint: Paint, width: int | None) -> Iterator[str]:
    table = object_table(snapshot, width)
    if table:
        yield ""
    for row in table:
        yield GAP.join(paint(cell.text, cell.style) for cell in row)


def _headline(snapshot: Snapshot, in_calls_ns: int) -> str:
    elapsed = f" in {long_duration(snapshot.elapsed_ns)}" if snapshot.elapsed_ns else ""
    if not snapshot.total:
        return f"{no_calls(snapshot, has_begun=in_calls_ns > 0)}{elapsed}"
    parts = [f"{plural(snapshot.total, 'call')} ({len(snapshot.calls)} distinct){elapsed}"]
    failed = snapshot.errors / snapshot.total
    parts.append(f"· {snapshot.errors:,} failed ({share(failed)})")
    if in_calls_ns:
        parts.append(f"· {duration(in_calls_ns)} in calls")
    return " ".join(parts)


def _table(
    shown: Sequence[CallStat], columns: Sequence[TextColumn], paint: Paint, width: int | None
) -> Iterator[str]:
    totals = Totals.of(shown)
    rows = [[_cell(COLUMNS[key], call, totals) for key in SUMMARY] for call in shown]
    for row in align(columns, rows, width):
        yield GAP.join(paint(cell.text, cell.style) for cell in row)


def _cell(column: Column, call: CallStat, totals: Totals) -> Cell:
    value = column.value(call, totals)
    if value is None:
        return Cell("-", "dim")
    style = "dim" if column.key == "category" else ""
    if column.is_of_errors and call.is_mostly_failing:
        style = "failing"
    return Cell(column.text(value, exact=True), style)


def _notes(snapshot: Snapshot, paint: Paint, *, odd_lines: bool) -> Iterator[str]:
    ledger = snapshot.sums.ledger
    lost = notes_of(ledger, Weight.LOST)
    noted = notes_of(ledger, Weight.NOTED, Weight.SAMPLED)
    if estimate := budget(snapshot).note:
        noted.append(estimate)
    if snapshot.trouble or lost or noted:
        yield ""
    if snapshot.trouble:
        yield paint(f"{state(snapshot)}: {snapshot.trouble}", "slow")
    for note in lost:
        yield paint(f"not exact: {note}", "slow")
    for note in noted:
        yield paint(f"note: {note}", "dim")
    if odd_lines:
        for line in snapshot.sums.odd_lines:
            yield f"  not understood: {line}"
