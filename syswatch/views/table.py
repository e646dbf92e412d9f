"""Tables of text, aligned, with nothing wider than it must be."""

from collections.abc import Sequence

import attrs


@attrs.frozen
class Column:
    """One column: its title, and whether its cells are numbers."""

    title: str
    is_number: bool = True


@attrs.frozen
class Cell:
    """A text and the name of its ink; the ink is the terminal's business."""

    text: str
    ink: str = ""


def align(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Pad every cell to the width of its column; the first row returned holds the titles."""
    titled = [[Cell(column.title, "title") for column in columns], *rows]
    widths = [max(len(row[index].text) for row in titled) for index in range(len(columns))]
    return [
        [
            attrs.evolve(cell, text=_pad(cell.text, width, column.is_number))
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        for row in titled
    ]


def _pad(text: str, width: int, is_number: bool) -> str:  # noqa: FBT001
    return text.rjust(width) if is_number else text.ljust(width)
