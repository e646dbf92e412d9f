"""
Lines of pieces, and the one place where they become cells.

A piece is a text and the name of its ink.  Whatever a piece says, it is made inert here: nothing
that a target chose reaches the terminal as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from syswatch.base.text import inert

Piece = tuple[str, str]
Line = Sequence[Piece]

PAPER = "#e4e8ee"
INK = {
    "": Style.parse(f"{PAPER} on #12161c"),
    "dim": Style.parse("#8b96a5 on #12161c"),
    "title": Style.parse(f"bold {PAPER} on #12161c"),
    "heading": Style.parse("bold #a9c7f0 on #1d2530"),
    "bar": Style.parse("#b9c2ce on #1d2530"),
    "key": Style.parse("bold #6cb0ff on #1d2530"),
    "live": Style.parse("#6cb0ff on #12161c"),
    "slow": Style.parse("#e8b040 on #12161c"),
    "failing": Style.parse("#ff7a4d on #12161c"),
    # Okabe and Ito's colours, which most eyes can tell apart: those of the pages, when dark.
    "I/O": Style.parse("#56b4e9 on #12161c"),
    "FS": Style.parse("#e69f00 on #12161c"),
    "NET": Style.parse("#009e73 on #12161c"),
    "MEM": Style.parse("#cc79a7 on #12161c"),
    "PROC": Style.parse("#3d8fd1 on #12161c"),
    "SIG": Style.parse("#d55e00 on #12161c"),
    "TIME": Style.parse("#f0e442 on #12161c"),
    "IPC": Style.parse("#dde2e8 on #12161c"),
    "OTHER": Style.parse("#8a929c on #12161c"),
}
# Bold as well: without colours it is all that is left of a selection.
SELECTED = Style.parse("#ffffff on #1f4f86") + Style(bold=True)


class Row(NamedTuple):
    """A line, and how it is drawn; `ink` is the ground of what is left free."""

    line: Line
    ink: str = ""
    selected: bool = False
    skip: int = 0


NO_ROW = Row(())


def strip(row: Row, width: int) -> Strip:
    """Draw a row, but for the cells that are to skip, in so many cells."""
    ground = SELECTED if row.selected else INK[row.ink]
    segments: list[Segment] = []
    length = 0
    for text, name in _merged([(text, "") for text, _ in row.line] if row.selected else row.line):
        segments.append(Segment(text, INK.get(name, INK[""]) if name else ground))
        length += len(text) if text.isascii() else cell_len(text)
    if (missing := row.skip + width - length) > 0:
        segments.append(Segment(" " * missing, ground))
        length += missing
    whole = Strip(segments, length)
    return whole if length == width else whole.crop(row.skip, row.skip + width)


def _merged(line: Line) -> Iterator[Piece]:
    """Join neighbours of one ink: whatever is done to them after this costs by the piece."""
    whole, ink = "", ""
    for text, name in line:
        if name != ink and whole:
            yield inert(whole), ink
            whole = ""
        whole += text
        ink = name
    if whole:
        yield inert(whole), ink


def cells(line: Line) -> int:
    """Return how many cells a line needs."""
    return sum(cell_len(inert(text)) for text, _ in line)


def left(text: str, width: int) -> str:
    """Fit a text into so many cells, beginning at the left."""
    if text.isascii() and text.isprintable() and len(text) <= width:
        return text.ljust(width)  # As most are; what follows takes longer.
    text = inert(text)
    if cell_len(text) > width > 1:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


def right(text: str, width: int) -> str:
    """Fit a number into so many cells, ending at the right."""
    return text.rjust(width) if len(text) <= width else left(text, width)


def wrapped(text: str, width: int, ink: str = "") -> list[Line]:
    """Break a text between words."""
    lines, line = [], ""
    for word in inert(text).split():
        if line and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [[(each, ink)] for each in (*lines, line) if each]


def fitting(pieces: Iterable[Line], width: int, gap: str = "  ") -> list[Line]:
    """Return the first lines that have room beside one another, whole."""
    chosen: list[Line] = []
    for line in pieces:
        width -= cells(line) + (len(gap) if chosen else 0)
        if width < 0:
            break
        chosen.append(line)
    return chosen


def ranked(pieces: Sequence[tuple[int, Line]], width: int, gap: str = "  ") -> list[Line]:
    """Return the lines that have room beside one another, those of low ranks before others."""
    chosen: set[int] = set()
    for at, (_, line) in sorted(enumerate(pieces), key=lambda each: (each[1][0], each[0])):
        needed = cells(line) + (len(gap) if chosen else 0)
        if needed <= width:
            chosen.add(at)
            width -= needed
    return [line for at, (_, line) in enumerate(pieces) if at in chosen]


def joined(pieces: Iterable[Line], gap: str = "  ") -> list[Piece]:
    """Put lines beside one another."""
    whole: list[Piece] = []
    for line in pieces:
        if whole:
            whole.append((gap, ""))
        whole.extend(line)
    return whole
