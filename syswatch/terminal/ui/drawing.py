"""The widget that all others here are: rows that are drawn as they are."""

from collections.abc import Sequence
from itertools import zip_longest

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from .pieces import NO_ROW, Row, strip


class Drawing(Widget):
    """Some rows; only those that change cost anything."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        # What has been drawn, as wide as it was then.
        self._strips: dict[int, Strip] = {}
        self._width = 0

    def draw(self, rows: Sequence[Row]) -> None:
        """Show other rows: the terminal is told of those that differ."""
        lines = enumerate(zip_longest(self._rows, rows))
        changed = [y for y, (old, new) in lines if old != new]
        self._rows = rows
        for y in changed:
            self._strips.pop(y, None)
        if changed:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw at once: Textual would look for borders and the like in each line."""
        if self._width != self.size.width:
            self._strips.clear()
            self._width = self.size.width
        return [self._strip(y).crop(crop.x, crop.right) for y in crop.line_range]

    def _strip(self, y: int) -> Strip:
        if y not in self._strips:
            drawn = strip(self._rows[y] if y < len(self._rows) else NO_ROW, self._width)
            for each in self.get_line_filters():
                drawn = drawn.apply_filter(each, self.background_colors[1])
            self._strips[y] = drawn
        return self._strips[y]
