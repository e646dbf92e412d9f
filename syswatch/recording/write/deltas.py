"""The file of deltas: frames are appended whole, and the oldest ones can be dropped."""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path

import attrs
import msgspec

from syswatch.base.classes import define
from syswatch.codec.frames import HEADER_BYTES, body_of, frame_of, header_of, kind_of
from syswatch.codec.recording import DELTAS, MAGIC
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import Started
from syswatch.recording import durable

from .names import Names

_BLOCK = 1 << 20
# After a part of a frame was removed, the next one follows what is left.
_APPENDING = os.O_TRUNC | os.O_APPEND


@define
class DeltaFile:
    """The deltas of a recording; what is dropped stays in the file until there is much of it."""

    folder: Path
    # How many bytes the file has.
    size: int = attrs.field(default=0, init=False)
    # How many of them, after the head, are not needed any more.
    dropped: int = attrs.field(default=0, init=False)
    # What precedes the frames that can be dropped.
    _head: int = attrs.field(default=len(MAGIC), init=False)
    _file: FileIO | None = attrs.field(default=None, init=False)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / DELTAS

    @property
    def needed(self) -> int:
        """How many bytes are needed."""
        return self.size - self.dropped

    def create(self) -> None:
        """Create the file."""
        self._file = durable.open_private(self.path, _APPENDING)
        self.append(MAGIC)

    def append(self, frame: bytes) -> None:
        """Append a frame; if that fails, remove the part that was written."""
        if self._file is None:
            return
        try:
            durable.write_all(self._file, frame)
        except OSError:
            with suppress(OSError):
                self._file.truncate(self.size)
            raise
        self.size += len(frame)

    def sync(self) -> None:
        """Make what was appended durable."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def drop(self, size: int) -> None:
        """Drop frames of so many bytes, the oldest ones."""
        self.dropped += size

    @property
    def has_much_dropped(self) -> bool:
        """Return whether rewriting pays: then each byte is copied once on average."""
        return self.dropped > self.needed

    def rewrite(self) -> None:
        """Remove what was dropped from the file."""
        if not self.dropped or self._file is None:
            return
        beside = self.path.with_name(f".{DELTAS}")
        try:
            file = durable.open_private(beside, _APPENDING)
            head = self._write_needed(file)
            os.fsync(file.fileno())
            beside.replace(self.path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        self._file.close()
        self._file = file
        self.size += head - self._head - self.dropped
        self.dropped, self._head = 0, head

    def copy(self, path: Path, *more: bytes) -> None:
        """Write what is needed to another file, with more frames at the end."""
        with durable.open_private(path, os.O_EXCL) as file:
            self._write_needed(file)
            for frame in more:
                durable.write_all(file, frame)
            os.fsync(file.fileno())

    def _write_needed(self, file: FileIO) -> int:
        """
        Write the file without what was dropped, and return the size of what precedes the rest.

        Of what was dropped, that has the newest start, and the names: objects, threads and
        processes are described once, perhaps long ago.
        """
        begin = self._head + self.dropped
        with self.path.open("rb", buffering=0) as whole:
            head = MAGIC + _head_of(whole, begin) if self.dropped else _read(whole, 0, begin)
            durable.write_all(file, head)
            for start in range(begin, self.size, _BLOCK):
                durable.write_all(file, _read(whole, start, min(start + _BLOCK, self.size)))
        return len(head)


def lasting_since(frame: bytes, since_ns: int) -> tuple[bytes, int]:
    """
    Return the frame of a delta as one of the time since the last one, and when that time ended.

    Tracers report when the trace began, which is not when the deltas that are kept begin.
    """
    parts = msgspec.msgpack.decode(body_of(frame), type=dict[str, msgspec.Raw])
    span = msgspec.msgpack.decode(parts["span"], type=Span | None)
    if span is None:
        return frame, since_ns
    later = Span(max(since_ns, span.first_ns), max(since_ns, span.last_ns))
    parts["span"] = msgspec.Raw(msgspec.msgpack.encode(later))
    return frame_of(Delta, msgspec.msgpack.encode(parts)), later.last_ns


def _head_of(file: FileIO, end: int) -> bytes:
    """Return the frames that replace all up to a place in the file."""
    started, names = b"", Names()
    for frame in _frames(file, end):
        kind = kind_of(frame)
        if kind is Started:
            started = frame
        elif kind is Delta:
            names.add(frame)
    return started + names.frame()


def _frames(file: FileIO, end: int) -> Iterator[bytes]:
    place = len(MAGIC)
    while place < end:
        _, length = header_of(_read(file, place, place + HEADER_BYTES))
        yield _read(file, place, place + HEADER_BYTES + length)
        place += HEADER_BYTES + length


def _read(file: FileIO, begin: int, end: int) -> bytes:
    found = os.pread(file.fileno(), end - begin, begin)
    if len(found) < end - begin:
        raise OSError(errno.EIO, "the deltas of the recording have become shorter")
    return found
