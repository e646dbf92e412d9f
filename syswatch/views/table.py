"""Tables of text, aligned, with nothing wider than it must be."""

from collections.abc import Sequence

import attrs

GAP = "  "


@attrs.frozen
class Column:
    """One column; those of a low rank stay when there is little room, 0 always does."""

    title: str
    is_number: bool = True
    rank: int = 0


@attrs.frozen
class Cell:
    """A text and the name of its ink; the ink is the terminal's business."""

    text: str
    ink: str = ""


def align(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], most_cells: int | None = None
) -> list[list[Cell]]:
    """
    Pad every cell to the width of its column; the first row returned holds the titles.

    Where no more than `most_cells` fit beside one another, columns are left out by their rank.
    """
    titled = [[Cell(column.title, "title") for column in columns], *rows]
    widths = [max(len(row[index].text) for row in titled) for index in range(len(columns))]
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


def _fitting(columns: Sequence[Column], widths: Sequence[int], most: int | None) -> list[int]:
    kept = list(range(len(columns)))
    while most is not None and sum(widths[at] + len(GAP) for at in kept) - len(GAP) > most:
        least = max(kept, key=lambda at: columns[at].rank)
        if not columns[least].rank:
            break
        kept.remove(least)
    return kept


def _pad(text: str, width: int, column: Column, *, is_last: bool) -> str:
    if column.is_number:
        return text.rjust(width)
    # Nothing stands right of it, and a line of spaces would wrap.
    return text if is_last else text.ljust(width)
