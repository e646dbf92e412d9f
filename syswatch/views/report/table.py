"""Tables of the report; those that can be sorted carry their exact values."""

from collections.abc import Iterable, Sequence

import attrs

from .markup import Content, Markup, tag, text

NOTHING = "–"


@attrs.frozen
class Cell:
    """What is shown, and what it sorts by where that is another thing."""

    content: Content
    key: float | str | None = None
    kind: str = ""


@attrs.frozen
class Column:
    """A title; words stand left, numbers right."""

    title: str
    is_word: bool = False


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, kind: str = "") -> Markup:
    """Return a table that may be wider than the page."""
    head = tag("tr", [_head(column) for column in columns])
    body = [tag("tr", [_cell(*pair) for pair in zip(columns, row, strict=True)]) for row in rows]
    whole = tag("table", (tag("thead", head), tag("tbody", body)), class_=kind or None)
    # Reachable by keys, as it may have to be scrolled.
    label = f"by {columns[0].title.lower()}"
    return tag("div", whole, class_="scroll", role="region", aria_label=label, tabindex="0")


def number(content: Content, key: float) -> Cell:
    """Return a cell that sorts by an exact number."""
    return Cell(content, key)


def bar(part: float) -> Markup:
    """Return a bar as long as a part of the widest."""
    fill = Markup(f'<rect width="{100 * part:.1f}" height="8" rx="1"></rect>')
    return tag(
        "svg",
        fill,
        class_="bar",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def _head(column: Column) -> Markup:
    return tag("th", column.title, scope="col", class_="w" if column.is_word else None)


def _cell(column: Column, cell: Cell) -> Markup:
    kind = f"{'w ' if column.is_word else ''}{cell.kind}".strip()
    if cell.content == NOTHING:
        kind = f"{kind} none".strip()
    key = None if cell.key is None else str(cell.key)
    return tag("td", text(cell.content), class_=kind or None, data_key=key)
