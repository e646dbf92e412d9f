"""The progress bar: one line on stderr that is gone when the reading is over."""

import shutil
from collections.abc import Callable
from typing import TextIO

import attrs

from syswatch.base.streams import may_draw
from syswatch.model.snapshot import Snapshot
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
    # The first and the newest report of how much was read, and when each came: the tracer needs
    # time to start, and it reports in steps.
    _first: tuple[float, int] | None = attrs.field(default=None, init=False)
    _newest: tuple[float, int] = attrs.field(default=(0.0, 0), init=False)
    _drawn: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Begin to count the seconds."""
        self._began = self.now()

    def __call__(self, snapshot: Snapshot) -> None:
        """Draw the line anew, or take it away."""
        self._note(snapshot.sums.reading.bytes)
        if snapshot.done:
            self.clear()
        elif self.now() - self._began >= _PATIENCE_S and may_draw(self.out):
            width = shutil.get_terminal_size().columns - 1
            left_s = self._left_s(snapshot.source.total_bytes)
            line = progress_line(snapshot, self._rate(self.now()), left_s, width)
            self._write(_CLEAR_LINE + line)
            self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn and may_draw(self.out):
            self._write(_CLEAR_LINE)
        self._drawn = False

    def _note(self, read: int) -> None:
        """Remember a report of more than was read before."""
        if read > self._newest[1]:
            self._newest = (self.now(), read)
            self._first = self._first or self._newest

    def _rate(self, until: float) -> float:
        """Return how many bytes a second were read after the first report, until some moment."""
        began, before = self._first or (self._began, 0)
        newest, read = self._newest
        if newest == began:
            began, before = self._began, 0
        return (read - before) / (until - began) if until > began else 0.0

    def _left_s(self, total: int | None) -> float | None:
        """Return how long the rest takes; None if nobody knows, as when the reading stalls."""
        newest, read = self._newest
        pace = self._rate(newest)
        if total is None or not pace:
            return None
        left_s = (total - read) / pace - (self.now() - newest)
        return left_s if left_s > 0 else None

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()
