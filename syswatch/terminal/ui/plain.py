"""What is drawn where somebody wants no colours (https://no-color.org)."""

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from .pieces import INK, SELECTED

_STAND_OUT = {style.bgcolor for style in (*INK.values(), SELECTED)} - {INK[""].bgcolor}


class Plain(LineFilter):
    """Leaves bold and the like; bars and what is selected are reversed."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002  Textual passes it
        """Take the colours away."""
        return [Segment(text, plain(style or Style.null())) for text, style, _ in segments]


@lru_cache
def plain(style: Style) -> Style:
    """Return a style without colours."""
    stands_out = style.bgcolor in _STAND_OUT
    return Style(
        bold=style.bold,
        dim=style.dim,
        underline=style.underline,
        reverse=stands_out != bool(style.reverse),
    )
