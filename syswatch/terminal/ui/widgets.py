"""The widgets that all others are built from: rows of cells, redrawn only where they changed."""

from collections.abc import Sequence
from itertools import zip_longest

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS

from . import header
from .styled_text import NO_ROW, Line, Row, render


class RowWidget(Widget):
    """Rows that are rendered once and kept until they change."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        self._strips: dict[int, Strip] = {}
        self._strips_width = 0

    def draw(self, rows: Sequence[Row]) -> None:
        """Show other rows; only those that differ are sent to the terminal."""
        pairs = enumerate(zip_longest(self._rows, rows))
        changed = [y for y, (old, new) in pairs if old != new]
        self._rows = rows
        for y in changed:
            self._strips.pop(y, None)
        if changed:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render without Textual's per-line work for borders, padding and tints."""
        if self._strips_width != self.size.width:
            self._strips.clear()
            self._strips_width = self.size.width
        return [self._strip(y).crop(crop.x, crop.right) for y in crop.line_range]

    def _strip(self, y: int) -> Strip:
        if y not in self._strips:
            row = self._rows[y] if y < len(self._rows) else NO_ROW
            strip = render(row, self._strips_width)
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, self.background_colors[1])
            self._strips[y] = strip
        return self._strips[y]


class LinesWidget(RowWidget):
    """Some lines; as high as there are lines."""

    DEFAULT_CSS = "LinesWidget { height: auto; }"

    def __init__(self, style: str = "") -> None:
        super().__init__()
        self._style = style

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines."""
        is_other_height = len(lines) != len(self._rows)
        self.draw([Row(line, self._style) for line in lines])
        if is_other_height:
            self.refresh(layout=True)

    def get_content_height(self, *_: object) -> int:
        """Return the number of lines."""
        return len(self._rows)


class AlertLines(LinesWidget):
    """The most severe alerts; in a trace that runs, computed once a second: it is expensive."""

    def __init__(self) -> None:
        super().__init__()
        self._alerts: list[Line] = []
        self._second: int | None = None

    def show_alerts(self, snapshot: Snapshot, screen: Size) -> None:
        """Show as many lines as a screen has space for."""
        # A range of time may end in the same second as the one before.
        is_running = not (snapshot.done or snapshot.part_of)
        second = snapshot.now_ns // SECOND_NS if is_running and snapshot.now_ns else None
        if second is None or second != self._second:
            self._alerts = header.alert_lines(snapshot)
        self._second = second
        self.show(header.shorten_alerts(self._alerts, screen))
