"""The panel beside a list: details of the selected row, as far as they fit."""

from collections.abc import Callable, Sequence

from textual import events

from .styled_text import Line, Row
from .widgets import RowWidget

_BORDER = ("│ ", "dim")


class SidePanel(RowWidget):
    """Lines behind a border."""

    DEFAULT_CSS = "SidePanel { width: 34%; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._content: Callable[[int], Sequence[Line]] = lambda _width: ()

    def show(self, content: Callable[[int], Sequence[Line]]) -> None:
        """Show other lines, which a function returns for a width."""
        self._content = content
        self._draw()

    def on_resize(self, _event: events.Resize) -> None:
        """Wrap the lines to the new width."""
        self._draw()

    def _draw(self) -> None:
        size = self.size
        lines = list(self._content(max(size.width - len(_BORDER[0]), 1)))[: size.height]
        lines += [[]] * (size.height - len(lines))
        self.draw([Row([_BORDER, *line]) for line in lines])
