"""What a command writes while the terminal is not its own: kept to be shown, and to be printed."""

import os
import re
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from tempfile import TemporaryFile

import attrs

from .late import Late

# The end of it is looked at; all of it is printed in the end, if a disk can hold it.
_SHOWN_LINES = 5_000
_LONGEST_LINE = 4_096
MOST_BYTES = 256 << 20
_BLOCK = 1 << 16
# Colours and the like mean nothing on a page of ours; what else is there is made inert later.
_SEQUENCE = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


@attrs.define
class Output:
    """The bytes of an output in a nameless file, and its newest lines in memory."""

    most_bytes: int = MOST_BYTES
    dropped: int = attrs.field(default=0, init=False)
    _kept: int = attrs.field(default=0, init=False)
    # Not buffered: if we are killed, what it holds is printed by somebody else.
    _file: FileIO = attrs.field(
        factory=lambda: TemporaryFile(buffering=0),  # noqa: SIM115  it stays open
        init=False,
    )
    _lines: deque[bytes] = attrs.field(factory=lambda: deque(maxlen=_SHOWN_LINES), init=False)
    _rest: bytes = attrs.field(default=b"", init=False)

    def add(self, data: bytes) -> None:
        """Take what was written."""
        self._keep(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(line[:_LONGEST_LINE] for line in lines)
        self._rest = self._rest[:_LONGEST_LINE]

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._file.fileno()

    def lines(self) -> Sequence[str]:
        """Return the newest lines, without colours."""
        return Late([*self._lines, *([self._rest] if self._rest else [])], _readable)

    def print_to(self, descriptor: int) -> None:
        """Write everything to where it was meant for, and forget it."""
        self._file.seek(0)
        with suppress(OSError):  # The terminal may be gone.
            while block := self._file.read(_BLOCK):
                _write_whole(descriptor, block)
        self._file.seek(0)
        self._file.truncate()

    def _keep(self, data: bytes) -> None:
        room = max(self.most_bytes - self._kept, 0)
        try:
            kept = self._file.write(data[:room])
        except OSError:
            kept = 0
        if kept < min(len(data), room):
            self.most_bytes = 0  # The disk is full: what comes now is lost, and we say so.
        self._kept += kept
        self.dropped += len(data) - kept


def _write_whole(descriptor: int, block: bytes) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _readable(line: bytes) -> str:
    text = _SEQUENCE.sub("", line.decode(errors="replace")).expandtabs()
    # What a carriage return wrote over is gone on a terminal, too.
    return text.rstrip("\r").rpartition("\r")[2]
