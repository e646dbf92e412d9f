"""The progress bar: one line on stderr that is gone when the reading is over."""

import shutil
from collections.abc import Callable
from typing import TextIO

import attrs

from syswatch.model.snapshot import Snapshot
from syswatch.streams import may_draw
from syswatch.views.progress import progress_line

_CLEAR_LINE = "\r\x1b[K"
# What takes no longer needs no bar.
_PATIENCE_S = 1.0


@attrs.define
class ProgressBar:
    """Draws a line for each snapshot until the last one."""

    out: TextIO
    now: Callable[[], float]
    _began: float = attrs.field(init=False)
    # When something was read first, and how much: the tracer needs time to start, and what it
    # sends is late, as much then as now.
    _first: tuple[float, int] | None = attrs.field(default=None, init=False)
    _drawn: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Begin to count the seconds."""
        self._began = self.now()

    def __call__(self, snapshot: Snapshot) -> None:
        """Draw the line anew, or take it away."""
        rate = self._rate(snapshot.sums.reading.bytes)
        if snapshot.done:
            self.clear()
        elif self.now() - self._began >= _PATIENCE_S and may_draw(self.out):
            width = shutil.get_terminal_size().columns - 1
            self._write(_CLEAR_LINE + progress_line(snapshot, rate, width))
            self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn and may_draw(self.out):
            self._write(_CLEAR_LINE)
        self._drawn = False

    def _rate(self, read: int) -> float:
        """Return how many bytes a second were read since the first of them were seen."""
        now = self.now()
        if self._first is None and read:
            self._first = (now, read)
        began, read_before = self._first or (self._began, 0)
        if began == now or read == read_before:
            began, read_before = self._began, 0
        return (read - read_before) / (now - began) if now > began else 0.0

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()
