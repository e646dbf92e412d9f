"""The table of the costliest objects in the summary."""

from syswatch.base.cells import cells
from syswatch.model.snapshot import Snapshot

from .budget.budget import budget
from .budget.costs import by_cost
from .budget.names import cut_name, object_name
from .budget.objects import ObjectStat, costliest_objects
from .formatting import duration, size
from .text_table import GAP, Cell, TextColumn, align, with_estimates

MOST_OBJECTS = 5
# Enough for an address or the end of a path.
_LEAST_NAME = 24
_COLUMNS = (
    TextColumn("WAITING"),
    TextColumn("TOTAL"),
    TextColumn("CALLS", rank=1),
    TextColumn("READ", rank=2),
    TextColumn("WRITTEN", rank=3),
    TextColumn("MOSTLY IN", is_number=False),
    TextColumn("OBJECT", is_number=False),
)


def object_table(snapshot: Snapshot, width: int | None) -> list[list[Cell]]:
    """Return the costliest objects below a row of titles; empty if no object cost any time."""
    found = costliest_objects(snapshot, limit=MOST_OBJECTS)
    rows = [_row(each) for each in found if each.costs.not_idle_ns or each.costs.idle_ns]
    if not rows:
        return []
    is_estimated = budget(snapshot).is_estimated
    columns = with_estimates(_COLUMNS, _COLUMNS[0].title) if is_estimated else _COLUMNS
    table = align(columns, rows)
    others = sum(cells(cell.text) + len(GAP) for cell in table[0][:-1])
    if width is not None and others + _LEAST_NAME > width:
        return align(columns, [_cut(row, _LEAST_NAME) for row in rows], width)
    free = None if width is None else width - others
    return align(columns, [_cut(row, free) for row in rows], width)


def _row(each: ObjectStat) -> list[Cell]:
    costs = each.costs
    waiting_style = "dim" if costs.idle_ns > costs.blocked_ns else ""
    return [
        _time(costs.waiting_ns, waiting_style),
        _time(costs.total_ns),
        Cell(f"{costs.sums.count:,}"),
        _size(costs.sums.bytes_in),
        _size(costs.sums.bytes_out),
        Cell(next(iter(by_cost(each.calls)))),
        Cell(object_name(each.info)),
    ]


def _time(spent_ns: int, style: str = "") -> Cell:
    return Cell(duration(spent_ns), style) if spent_ns else Cell("-", "dim")


def _size(number: int) -> Cell:
    return Cell(size(number)) if number else Cell("-", "dim")


def _cut(row: list[Cell], most: int | None) -> list[Cell]:
    """Return a row with a name that fits."""
    *others, name = row
    return [*others, Cell(cut_name(name.text, most), name.style)]
