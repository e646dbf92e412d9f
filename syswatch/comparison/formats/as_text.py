"""Text for people: the answer, the most important changes in words, and a table of the numbers."""

from collections.abc import Iterator, Sequence

from syswatch.comparison.change import Comparison
from syswatch.views.formatting import plural
from syswatch.views.text_table import GAP, Cell, TextColumn, align

from .facts import Shown, shown
from .presentation import Presentation
from .words import Row, first_line, notes, side

_COLUMNS = (
    TextColumn("KIND", is_number=False, rank=2),
    TextColumn("WHAT", is_number=False),
    TextColumn("FIGURE", is_number=False),
    TextColumn("BEFORE"),
    TextColumn("AFTER"),
    TextColumn("CHANGE", rank=1),
)
_MOST_SENTENCES = 10
# On a terminal; the whole table is written to files and pipes.
_MOST_ROWS = 100
_LEAST_NAME = 20


def write(comparison: Comparison, how: Presentation) -> str:
    """Return the text, ending with a newline."""
    lines = [
        how.paint(first_line(comparison), "title"),
        *_sentences(comparison, how),
        how.paint(f"before: {side(comparison.before)}", "dim"),
        how.paint(f"after:  {side(comparison.after)}", "dim"),
        *_table(shown(comparison, how), how),
        *_notes(comparison, how),
    ]
    return "\n".join(lines) + "\n"


def _sentences(comparison: Comparison, how: Presentation) -> Iterator[str]:
    """Yield the changes in words that follow the most important one."""
    others = comparison.findings[1:]
    for finding in others[:_MOST_SENTENCES]:
        yield _cut(f"  {finding.text}", how.width)
    rest = len(others) - _MOST_SENTENCES
    if rest > 0:
        yield how.paint(f"  {plural(rest, 'other change')} in the table", "dim")
    if others:
        yield ""


def _table(table: Shown, how: Presentation) -> Iterator[str]:
    rows = table.rows[:_MOST_ROWS] if how.width else table.rows
    if not rows:
        return
    yield ""
    for line in align(_COLUMNS, _cells(rows, how.width), how.width):
        yield GAP.join(how.paint(cell.text, cell.style) for cell in line)
    rest = len(table.rows) - len(rows)
    if rest:
        yield how.paint(f"{plural(rest, 'more row')}: write to a file or a pipe to see all", "dim")
    if table.note:
        yield how.paint(table.note, "dim")


def _cells(rows: Sequence[Row], width: int | None) -> list[list[Cell]]:
    """Return the cells; names are cut where the table would be too wide even without the kind."""
    tails = [_tail(row) for row in rows]
    names = [row.subject for row in rows]
    if width is not None:
        titles = [Cell(column.title) for column in _COLUMNS[2:]]
        taken = sum(
            len(GAP) + max(len(cell.text) for cell in cells)
            for cells in zip(titles, *tails, strict=True)
        )
        names = [_without_middle(name, max(width - taken, _LEAST_NAME)) for name in names]
    return [
        [Cell(row.kind, "dim"), Cell(name), *tail]
        for row, name, tail in zip(rows, names, tails, strict=True)
    ]


def _tail(row: Row) -> list[Cell]:
    difference = Cell(row.difference, "slow" if row.change.difference > 0 else "")
    return [Cell(row.figure, "dim"), Cell(row.before), Cell(row.after), difference]


def _notes(comparison: Comparison, how: Presentation) -> Iterator[str]:
    found = list(notes(comparison))
    if found:
        yield ""
    for note in found:
        yield how.paint(note, "slow" if note.startswith("not compared") else "dim")


def _cut(text: str, width: int | None) -> str:
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"


def _without_middle(name: str, most: int) -> str:
    """Return a name of at most this many characters; a path says most at its ends."""
    if len(name) <= most:
        return name
    end = (most - 1) * 2 // 3
    return f"{name[: most - 1 - end]}…{name[-end:]}"
