"""A widget of a few lines that are drawn as they are."""

from collections.abc import Sequence

from textual.strip import Strip
from textual.widget import Widget

from .pieces import Line, strip


class Lines(Widget):
    """Some lines; as high as there are lines."""

    DEFAULT_CSS = "Lines { height: auto; }"

    def __init__(self, ink: str = "") -> None:
        super().__init__()
        self._ink = ink
        self._lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Draw other lines; only a change costs anything."""
        if lines != self._lines:
            higher = len(lines) != len(self._lines)
            self._lines = lines
            self.refresh(layout=higher)

    def get_content_height(self, *_: object) -> int:
        """Return how many lines there are."""
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        line = self._lines[y] if y < len(self._lines) else ()
        return strip(line, self.size.width, ink=self._ink)
