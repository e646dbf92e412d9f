"""The table of the busiest groups in the summary."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot

from .formatting import duration, share
from .groups import GroupStat, group_sentence, group_stats
from .text_table import GAP, Cell, Paint, TextColumn, align

MOST_GROUPS = 10
_COLUMNS = (
    TextColumn("CALLS"),
    TextColumn("SHARE"),
    TextColumn("ERRORS"),
    TextColumn("TOTAL", rank=1),
    TextColumn("WAITING", rank=2),
    TextColumn("P95", rank=3),
    TextColumn("KIND", is_number=False, rank=4),
    TextColumn("GROUP", is_number=False),
)


def group_lines(snapshot: Snapshot, paint: Paint, width: int | None) -> Iterator[str]:
    """Yield which group made most calls, and the busiest ones below a row of titles."""
    sentence = group_sentence(snapshot)
    if not sentence:
        return
    yield paint(sentence, "title")
    yield ""
    stats = group_stats(snapshot)
    others = [stat for stat in stats if stat.is_others]
    shown = [stat for stat in stats if not stat.is_others][:MOST_GROUPS]
    for row in align(_COLUMNS, [_row(stat) for stat in (*shown, *others)], width):
        yield GAP.join(paint(cell.text, cell.style) for cell in row)
    rest = len(stats) - len(shown) - len(others)
    if rest:
        yield paint(f"and {rest:,} more (--format json lists all of them)", "dim")
    yield ""


def _row(stat: GroupStat) -> list[Cell]:
    sums = stat.sums
    return [
        Cell(f"{sums.count:,}"),
        Cell(share(stat.share)),
        Cell(f"{sums.errors:,}"),
        _time(sums.total_ns),
        _time(sums.waiting_ns),
        _time(stat.p95_ns),
        Cell(stat.info.kind.value, "dim"),
        Cell(stat.info.name),
    ]


def _time(spent_ns: int) -> Cell:
    return Cell(duration(spent_ns)) if spent_ns else Cell("-", "dim")
