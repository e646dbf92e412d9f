"""A widget of a few lines."""

from collections.abc import Sequence

from .drawing import Drawing
from .pieces import Line, Row


class Lines(Drawing):
    """Some lines; as high as there are lines."""

    DEFAULT_CSS = "Lines { height: auto; }"

    def __init__(self, ink: str = "") -> None:
        super().__init__()
        self._ink = ink

    def show(self, lines: Sequence[Line]) -> None:
        """Draw other lines."""
        higher = len(lines) != len(self._rows)
        self.draw([Row(line, self._ink) for line in lines])
        if higher:
            self.refresh(layout=True)

    def get_content_height(self, *_: object) -> int:
        """Return how many lines there are."""
        return len(self._rows)
