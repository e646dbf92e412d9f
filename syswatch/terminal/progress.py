"""The progress bar: one line on stderr that is gone when the reading is over."""

import shutil
from collections.abc import Callable
from typing import TextIO

import attrs

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
    _drawn: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Begin to count the seconds."""
        self._began = self.now()

    def __call__(self, snapshot: Snapshot) -> None:
        """Draw the line anew, or take it away."""
        seconds = self.now() - self._began
        if snapshot.done:
            self.clear()
        elif seconds >= _PATIENCE_S:
            width = shutil.get_terminal_size().columns - 1
            self._write(_CLEAR_LINE + progress_line(snapshot, seconds, width))
            self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._write(_CLEAR_LINE)
            self._drawn = False

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()
