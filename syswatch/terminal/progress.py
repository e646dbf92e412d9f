"""The progress bar: one line on stderr, removed when the log is fully read."""

import shutil
from collections.abc import Callable
from typing import TextIO

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import can_draw
from syswatch.model.snapshot import Snapshot
from syswatch.views.status import progress_line

_CLEAR_LINE = "\r\x1b[K"
# A log that is read faster than this gets no bar.
_DELAY_S = 1.0


@define
class ProgressBar:
    """Draws a line for each snapshot until the last one."""

    out: TextIO
    now: Callable[[], float]
    _started_at: float = attrs.field(init=False)
    # The first and the latest progress report, as (time, bytes read).  The rate is measured
    # between reports: the tracer needs time to start, and reports in steps.
    _first: tuple[float, int] | None = attrs.field(default=None, init=False)
    _latest: tuple[float, int] = attrs.field(default=(0.0, 0), init=False)
    _is_drawn: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Start the clock."""
        self._started_at = self.now()

    def __call__(self, snapshot: Snapshot) -> None:
        """Redraw the line, or remove it after the last snapshot."""
        self._record(snapshot.sums.reading.bytes)
        if snapshot.done:
            self.clear()
        elif self.now() - self._started_at >= _DELAY_S and can_draw(self.out):
            width = shutil.get_terminal_size().columns - 1
            left_s = self._left_s(snapshot.source.total_bytes)
            line = progress_line(snapshot, self._rate(self.now()), left_s, width)
            self._write(_CLEAR_LINE + line)
            self._is_drawn = True

    def clear(self) -> None:
        """Remove the line."""
        if self._is_drawn and can_draw(self.out):
            self._write(_CLEAR_LINE)
        self._is_drawn = False

    def _record(self, read: int) -> None:
        if read > self._latest[1]:
            self._latest = (self.now(), read)
            self._first = self._first or self._latest

    def _rate(self, until: float) -> float:
        """Return the bytes read per second between the first report and a time."""
        since, before = self._first or (self._started_at, 0)
        latest, read = self._latest
        if latest == since:
            since, before = self._started_at, 0
        return (read - before) / (until - since) if until > since else 0.0

    def _left_s(self, total: int | None) -> float | None:
        """Return the seconds left, or None if unknown, as when the reading stalls."""
        latest, read = self._latest
        rate = self._rate(latest)
        if total is None or not rate:
            return None
        left_s = (total - read) / rate - (self.now() - latest)
        return left_s if left_s > 0 else None

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()
