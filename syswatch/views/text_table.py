"""Aligned tables of text, and the colours of a terminal."""

from collections.abc import Callable, Sequence

import attrs

from syswatch.base.cells import cells
from syswatch.base.classes import frozen

GAP = "  "
# Takes a text and the name of its style, and returns what is written to the terminal.
Paint = Callable[[str, str], str]

_CODES = {
    "title": "1",
    "dim": "2",
    "failing": "31",
    "slow": "33",
    "live": "34",
    # The states of threads, which fill a bar.
    "blocked": "30;43",
    "user": "97;44",
    "working": "30;42",
    "ready": "97;41",
    "stopped": "97;45",
    "idle": "30;47",
}


def coloured(text: str, style: str) -> str:
    """Return a text with the escape codes of its style."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if style in _CODES else text


def plain(text: str, style: str) -> str:  # noqa: ARG001  the same form as `coloured`
    """Return a text without escape codes."""
    return text


@frozen
class TextColumn:
    """One column; where space is limited, high ranks are left out first, and rank 0 never."""

    title: str
    is_number: bool = True
    rank: int = 0


def with_estimates(columns: Sequence[TextColumn], title: str) -> list[TextColumn]:
    """Return the columns with a tilde before the title of those that have estimated numbers."""
    return [
        attrs.evolve(column, title=f"~{title}") if column.title == title else column
        for column in columns
    ]


@frozen
class Cell:
    """A text and the name of its style."""

    text: str
    style: str = ""


def align(
    columns: Sequence[TextColumn], rows: Sequence[Sequence[Cell]], most_cells: int | None = None
) -> list[list[Cell]]:
    """
    Pad every cell to the width of its column; the first row returned holds the titles.

    If the table is wider than `most_cells`, columns are left out by their rank.
    """
    titled = [[Cell(column.title, "title") for column in columns], *rows]
    widths = [max(cells(row[index].text) for row in titled) for index in range(len(columns))]
    kept = _fitting(columns, widths, most_cells)
    return [
        [
            attrs.evolve(
                row[at], text=_pad(row[at].text, widths[at], columns[at], is_last=at == kept[-1])
            )
            for at in kept
        ]
        for row in titled
    ]


def _fitting(columns: Sequence[TextColumn], widths: Sequence[int], most: int | None) -> list[int]:
    kept = list(range(len(columns)))
    while most is not None and sum(widths[at] + len(GAP) for at in kept) - len(GAP) > most:
        least = max(kept, key=lambda at: columns[at].rank)
        if not columns[least].rank:
            break
        kept.remove(least)
    return kept


def _pad(text: str, width: int, column: TextColumn, *, is_last: bool) -> str:
    padding = " " * (width - cells(text))
    if column.is_number:
        return f"{padding}{text}"
    # Trailing spaces would wrap.
    return text if is_last else f"{text}{padding}"
