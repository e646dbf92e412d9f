"""Tables of the report; sortable ones hold exact values."""

from collections.abc import Iterable, Sequence

from syswatch.base.classes import frozen
from syswatch.model.catalog import Category
from syswatch.model.times import SECOND_NS
from syswatch.views.formatting import count, duration, long_duration

from .markup import Content, Markup, quantity, tag, text

NOTHING = "–"
NO_CALLS = tag("p", "No system call has returned.", class_="dim")
_MINUTE_NS = 60 * SECOND_NS


@frozen
class Cell:
    """The content of a cell, and its sort key if that differs: a value, or the tooltip."""

    content: Content
    key: float | str | None = None
    kind: str = ""
    title: str | None = None


@frozen
class TableColumn:
    """A title and the alignment: words left, numbers right; rows are sorted by the `first` one."""

    title: str
    is_word: bool = False
    first: bool = False


def table(
    columns: Sequence[TableColumn], rows: Iterable[Sequence[Cell]], *, kind: str = ""
) -> Markup:
    """Return a table that may be wider than the page."""
    head = tag("tr", [_head(column) for column in columns])
    body = [tag("tr", [_cell(*pair) for pair in zip(columns, row, strict=True)]) for row in rows]
    whole = tag("table", (tag("thead", head), tag("tbody", body)), class_=kind or None)
    # Focusable, so that it can be scrolled with keys.
    label = f"by {columns[0].title.lower()}"
    return tag("div", whole, class_="scroll", role="region", aria_label=label, tabindex="0")


def number(content: Content, key: float) -> Cell:
    """Return a cell that sorts by an exact number."""
    return Cell(content, key)


def times(number_of: int) -> Cell:
    """Return a cell with a count, whose tooltip is exact."""
    return (
        Cell(quantity(count(number_of)), title=f"{number_of:,}") if number_of else Cell(NOTHING, 0)
    )


def time(nanoseconds: int) -> Cell:
    """Return a cell with a duration, whose tooltip is exact."""
    if not nanoseconds:
        return Cell(NOTHING, 0)
    return Cell(quantity(duration(nanoseconds)), title=f"{nanoseconds:,} ns")


def length(nanoseconds: int) -> str:
    """Return a time of any length, below a minute with a unit like the numbers next to it."""
    return (duration if nanoseconds < _MINUTE_NS else long_duration)(nanoseconds)


def category_chip(category: Category) -> Markup:
    """Return the label of a category with its colour."""
    return tag("span", category.value, class_=f"chip {category.css_class}")


def bar(part: float) -> Markup:
    """Return a bar whose length is a share of the cell."""
    fill = tag("rect", width=f"{100 * part:.1f}%", height="8", rx="1")
    return tag("svg", fill, class_="bar", aria_hidden="true")


def _head(column: TableColumn) -> Markup:
    return tag(
        "th",
        column.title,
        scope="col",
        class_="w" if column.is_word else None,
        aria_sort="descending" if column.first else None,
    )


def _cell(column: TableColumn, cell: Cell) -> Markup:
    kind = f"{'w ' if column.is_word else ''}{cell.kind}".strip()
    if cell.content == NOTHING:
        kind = f"{kind} none".strip()
    return tag("td", text(cell.content), class_=kind or None, title=cell.title, data_key=_key(cell))


def _key(cell: Cell) -> str | None:
    """Return the sort key of a cell, or None if that is its text: there may be many cells."""
    key = f"{cell.key:.6g}" if isinstance(cell.key, float) else cell.key
    shown = cell.content.replace(",", "") if isinstance(cell.content, str) else None
    return None if key is None or str(key) == shown else str(key)
