"""Where lines are written to: a file, a named pipe, or standard output."""

import errno
import os
import stat
import time
from select import PIPE_BUF, select
from threading import Event
from typing import Final

import attrs

from syswatch.base.classes import define

# How often it is tried to open a named pipe that has no reader, and for how long after the end.
_RETRY_S: Final = 0.05
_PATIENCE_S: Final = 2.0
_NO_READER: Final = "no process has opened it for reading"
_PRIVATE: Final = 0o600


@define(eq=False)
class Destination:
    """Writes whole lines; waits for a slow reader, so it has a thread of its own."""

    path: str
    written_bytes: int = attrs.field(default=0, init=False)
    # Whether a process that should read does not read at the moment.
    awaits_reader: bool = attrs.field(default=False, init=False)
    _fd: int = attrs.field(default=-1, init=False)
    _is_shared: bool = attrs.field(default=False, init=False)
    _is_ending: Event = attrs.field(factory=Event, init=False)

    @classmethod
    def of_descriptor(cls, fd: int) -> "Destination":
        """Return one that is open; other processes may write to it, too."""
        destination = cls("standard output")
        destination._take(fd)
        return destination

    def open(self) -> None:
        """Create or truncate the file; wait for a reader if it is a named pipe."""
        give_up_s = float("inf")
        while self._fd < 0 and time.monotonic() < give_up_s:
            try:
                self._take(_opened(self.path))
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                if self._is_ending.wait(_RETRY_S):
                    give_up_s = min(give_up_s, time.monotonic() + _PATIENCE_S)
                    time.sleep(_RETRY_S)
        if self._fd < 0:
            raise OSError(errno.ENXIO, _NO_READER)

    def expect_end(self) -> None:
        """Stop waiting for a reader soon; may be called in any thread."""
        self._is_ending.set()

    def write(self, text: str) -> None:
        """Write whole lines."""
        data = text.encode("utf-8", "backslashreplace")
        if not self._is_shared:
            self._write(data)
            return
        self.awaits_reader = True
        for piece in _pieces(data):
            self._write(piece)
        self.awaits_reader = False

    def close(self) -> None:
        """Close the file: a reader finds its end, a file system may report an error."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:  # It is shared, and another process has made it so.
                select([], [self._fd], [])
        self.written_bytes += len(data)

    def _take(self, fd: int) -> None:
        self._fd = fd
        self._is_shared = not stat.S_ISREG(os.fstat(fd).st_mode)


def _opened(path: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOCTTY
    # With O_NONBLOCK, opening a named pipe without a reader fails and does not wait.
    fd = os.open(path, flags | os.O_NONBLOCK, _PRIVATE)
    os.set_blocking(fd, True)
    return fd


def _pieces(data: bytes) -> list[bytes]:
    """Split text so that no line is mixed with what others write to the same pipe or terminal."""
    pieces, begin = [], 0
    while begin < len(data):
        end = data.rfind(b"\n", begin, begin + PIPE_BUF) + 1 or data.index(b"\n", begin) + 1
        pieces.append(data[begin:end])
        begin = end
    return pieces
