"""
A screen as an SVG with the text, colours and weight of each cell.

Textual's own export differs between versions of Textual and Rich.
"""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

_CELL, _LINE, _BASE = 8.4, 18, 13
_PAPER, _PEN = "#12161c", "#e4e8ee"


def svg(screen: Sequence[Strip]) -> str:
    """Return a screen as an SVG."""
    width = _at(max(strip.cell_length for strip in screen))
    size = f'viewBox="0 0 {width} {_LINE * len(screen)}"'
    font = 'font-family="monospace" font-size="14"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>',
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
    ]
    for row, strip in enumerate(screen):
        lines += _row(row, strip)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _row(row: int, strip: Strip) -> Iterator[str]:
    column = 0
    for segment in Segment.simplify(strip):
        cells = segment.cell_length
        style = segment.style or Style()
        pen, paper = _colours(style)
        if paper != _PAPER:
            place = f'x="{_at(column)}" y="{_LINE * row}"'
            yield f'<rect {place} width="{_at(cells)}" height="{_LINE}" fill="{paper}"/>'
        if segment.text.strip():
            weight = ' font-weight="bold"' if style.bold else ""
            place = f'x="{_at(column)}" y="{_LINE * row + _BASE}" textLength="{_at(cells)}"'
            yield f'<text {place} fill="{pen}"{weight}>{_escaped(segment.text)}</text>'
        column += cells


def _escaped(text: str) -> str:
    """Escape a text; no-break spaces do not collapse."""
    return escape(text, {" ": "&#160;"})


def _colours(style: Style) -> tuple[str, str]:
    pen = style.color.get_truecolor().hex if style.color else _PEN
    paper = style.bgcolor.get_truecolor().hex if style.bgcolor else _PAPER
    return (paper, pen) if style.reverse else (pen, paper)


def _at(cells: int) -> str:
    return f"{cells * _CELL:.1f}"
