"""
Styled text, and the one place where it becomes terminal cells.

A span is a text and the name of its style; a line is a sequence of spans.  `render` escapes every
text with `escape_text`, so nothing that a target chose reaches the terminal unescaped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from syswatch.base.text import escape_text
from syswatch.model.catalog import Category
from syswatch.views.budget.states import TimeState

Span = tuple[str, str]
Line = Sequence[Span]

BACKGROUND = "#12161c"
_FOREGROUND = "#e4e8ee"
_BAR = "#1d2530"
STYLES = {
    "": Style.parse(f"{_FOREGROUND} on {BACKGROUND}"),
    "dim": Style.parse(f"#8b96a5 on {BACKGROUND}"),
    "title": Style.parse(f"bold {_FOREGROUND} on {BACKGROUND}"),
    "heading": Style.parse(f"bold #a9c7f0 on {_BAR}"),
    "bar": Style.parse(f"#b9c2ce on {_BAR}"),
    "key": Style.parse(f"bold #6cb0ff on {_BAR}"),
    "live": Style.parse(f"#6cb0ff on {BACKGROUND}"),
    "slow": Style.parse(f"#e8b040 on {BACKGROUND}"),
    "failing": Style.parse(f"#ff7a4d on {BACKGROUND}"),
    "selected": Style.parse("bold #ffffff on #1f4f86"),
    **{each.value: Style.parse(f"{each.dark} on {BACKGROUND}") for each in Category},
    **{f"state-{each.value}": Style.parse(f"{each.dark} on {BACKGROUND}") for each in TimeState},
}
# Bold as well: without colours, reverse and bold are all that marks a selection.
SELECTED = Style.parse("#ffffff on #1f4f86") + Style(bold=True)
_REVERSED_BACKGROUNDS = {style.bgcolor for style in (*STYLES.values(), SELECTED)} - {
    STYLES[""].bgcolor
}


class Row(NamedTuple):
    """A line and how to draw it; `style` also fills the cells to its right."""

    line: Line
    style: str = ""
    selected: bool = False
    skipped_cells: int = 0


NO_ROW = Row(())
# The space between a number and its unit.
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|s|ms|µs|ns)(?!\w))")
_UNBROKEN = "\N{NO-BREAK SPACE}"


class NoColorFilter(LineFilter):
    """Removes colours (https://no-color.org) but keeps bold and the like; reverses bars."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002  Textual passes it
        """Remove the colours of some segments."""
        return [Segment(text, without_colour(style or Style.null())) for text, style, _ in segments]


@lru_cache
def without_colour(style: Style) -> Style:
    """Return a style without colours."""
    is_reversed = style.bgcolor in _REVERSED_BACKGROUNDS
    return Style(
        bold=style.bold,
        dim=style.dim,
        underline=style.underline,
        reverse=is_reversed != bool(style.reverse),
    )


def render(row: Row, width: int) -> Strip:
    """Return a row as a strip that is exactly so many cells wide."""
    fill = SELECTED if row.selected else STYLES[row.style]
    line = [(text, "") for text, _ in row.line] if row.selected else row.line
    segments: list[Segment] = []
    length = 0
    for text, name in _merge(line):
        segments.append(Segment(text, STYLES.get(name, STYLES[""]) if name else fill))
        length += len(text) if text.isascii() else cell_len(text)
    if (missing := row.skipped_cells + width - length) > 0:
        segments.append(Segment(" " * missing, fill))
        length += missing
    whole = Strip(segments, length)
    if length == width:
        return whole
    return whole.crop(row.skipped_cells, row.skipped_cells + width)


def _merge(line: Line) -> Iterator[Span]:
    """Join neighbours of the same style: each segment costs time in Textual."""
    merged, style = "", ""
    for text, name in line:
        if name != style and merged:
            yield escape_text(merged), style
            merged = ""
        merged += text
        style = name
    if merged:
        yield escape_text(merged), style


def cell_width(line: Line) -> int:
    """Return the width of a line in cells."""
    return sum(cell_len(escape_text(text)) for text, _ in line)


def align_left(text: str, width: int) -> str:
    """Pad or cut a text to a width in cells, aligned to the left."""
    if text.isascii() and text.isprintable() and len(text) <= width:
        return text.ljust(width)  # The usual case, and much faster.
    text = escape_text(text)
    if cell_len(text) > width > 1:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


def align_path(text: str, width: int) -> str:
    """Pad or cut as `align_left`, but cut a path at its beginning: its end tells more."""
    escaped = escape_text(text)
    if not escaped.startswith("/") or cell_len(escaped) <= width or width < 2:  # noqa: PLR2004  an ellipsis and a letter
        return align_left(text, width)
    # Of a wide character that does not fit, half would be left: a space.
    end = set_cell_size(escaped[::-1], width - 1)[::-1]
    return f"…{end}"


def align_right(text: str, width: int) -> str:
    """Pad or cut a number to a width in cells, aligned to the right."""
    return text.rjust(width) if len(text) <= width else align_left(text, width)


def wrap(text: str, width: int, style: str = "") -> list[Line]:
    """Break a text into lines between words, but not between a number and its unit."""
    lines, line = [], ""
    for word in _words(escape_text(text)):
        if line and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [[(each, style)] for each in (*lines, line) if each]


def _words(text: str) -> list[str]:
    joined = _BEFORE_UNIT.sub(_UNBROKEN, text)
    return [word.replace(_UNBROKEN, " ") for word in joined.split(" ") if word]


def cut_line(line: Line, width: int) -> Line:
    """Cut a line that is wider, and end it with an ellipsis."""
    shown: list[Span] = []
    for text, style in line:
        used = cell_width([(text, style)])
        if used > width:
            return [*shown, (align_left(text, width), style)]
        shown.append((text, style))
        width -= used
    return shown


def wrap_last(line: Line, width: int) -> list[Line]:
    """Move the last span, an explanation, to lines of its own if it does not fit."""
    if cell_width(line) <= width:
        return [line]
    *signs, (heading, heading_style), (text, style) = line
    free = width - cell_width(signs) - 1
    first, *rest = wrap(heading, free, heading_style)
    indented = (*rest, *wrap(text, width - 5, style))
    return [[*signs, *first], *([("    ", ""), *part] for part in indented)]


def that_fit(parts: Iterable[Line], width: int, gap: str = "  ") -> list[Line]:
    """Return the first parts that fit next to each other."""
    chosen: list[Line] = []
    for part in parts:
        width -= cell_width(part) + (len(gap) if chosen else 0)
        if width < 0:
            break
        chosen.append(part)
    return chosen


def by_priority(parts: Sequence[tuple[int, Line]], width: int, gap: str = "  ") -> list[Line]:
    """Return the parts that fit next to each other; those with low numbers are chosen first."""
    chosen: set[int] = set()
    for index, (_, part) in sorted(enumerate(parts), key=lambda each: (each[1][0], each[0])):
        needed = cell_width(part) + (len(gap) if chosen else 0)
        if needed <= width:
            chosen.add(index)
            width -= needed
    return [part for index, (_, part) in enumerate(parts) if index in chosen]


def join_lines(parts: Iterable[Line], gap: str = "  ") -> list[Span]:
    """Return one line with the parts next to each other."""
    joined: list[Span] = []
    for part in parts:
        if joined:
            joined.append((gap, ""))
        joined.extend(part)
    return joined
