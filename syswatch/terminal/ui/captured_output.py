"""The output of the command while the UI is shown: kept on disk, its last lines in memory."""

import re
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from tempfile import TemporaryFile

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import write_all

from .long_lists import LazyList

# The UI shows the last lines; all of it is printed when the UI is left.
_SHOWN_LINES = 5_000
_MAX_LINE_BYTES = 4_096
MAX_BYTES = 256 << 20
_BLOCK = 1 << 16
# Colours and the like; all other control characters are escaped where lines are drawn.
_ESCAPE_SEQUENCE = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


@define
class CapturedOutput:
    """Output in an unnamed temporary file, and its last lines in memory."""

    max_bytes: int = MAX_BYTES
    dropped: int = attrs.field(default=0, init=False)
    _stored: int = attrs.field(default=0, init=False)
    # Unbuffered: if this process is killed, the restorer prints what the file holds.
    _file: FileIO = attrs.field(
        factory=lambda: TemporaryFile(buffering=0),  # noqa: SIM115  it stays open
        init=False,
    )
    _lines: deque[bytes] = attrs.field(factory=lambda: deque(maxlen=_SHOWN_LINES), init=False)
    _last_line: bytes = attrs.field(default=b"", init=False)

    def add(self, data: bytes) -> None:
        """Store some output."""
        self._store(data)
        *lines, self._last_line = (self._last_line + data).split(b"\n")
        self._lines.extend(line[:_MAX_LINE_BYTES] for line in lines)
        self._last_line = self._last_line[:_MAX_LINE_BYTES]

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._file.fileno()

    def lines(self) -> Sequence[str]:
        """Return the last lines, without colours."""
        rest = [self._last_line] if self._last_line else []
        return LazyList([*self._lines, *rest], _without_sequences)

    def print_to(self, descriptor: int) -> None:
        """Write the whole output to a descriptor, and empty the file."""
        self._file.seek(0)
        with suppress(OSError):  # The terminal may be gone.
            while block := self._file.read(_BLOCK):
                write_all(descriptor, block)
        self._file.seek(0)
        self._file.truncate()

    def _store(self, data: bytes) -> None:
        free = max(self.max_bytes - self._stored, 0)
        try:
            written = self._file.write(data[:free])
        except OSError:
            written = 0
        if written < min(len(data), free):
            self.max_bytes = 0  # The disk is full: store nothing more, so that no gap appears.
        self._stored += written
        self.dropped += len(data) - written


def _without_sequences(line: bytes) -> str:
    text = _ESCAPE_SEQUENCE.sub("", line.decode(errors="replace")).expandtabs()
    # Text before a carriage return is overwritten on a terminal, too.
    return text.rstrip("\r").rpartition("\r")[2]
