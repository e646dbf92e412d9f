"""Opens an input: a file, a compressed file, a URL or standard input."""

import io
import os
import select
import stat
import sys
import time
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Self

import attrs

from syswatch.base.classes import define
from syswatch.codec.recording import DELTAS, is_recording
from syswatch.tracer.stracelog.grammar import time_of

from .compression import Content, content_of
from .remote import RemoteFile, is_remote

BLOCK = 1 << 19


class InputError(Exception):
    """An input cannot be read, or not to its end; the text is one sentence for the user."""

    exit_status = 1


@define
class InputFile:
    """An input that is open for reading."""

    name: str
    size: int | None
    modified_s: float
    _raw: io.BufferedReader
    _content: Content
    # Whether it is in the directory of a recording of every call.
    is_folder: bool = False
    # Where a URL is read from.
    _remote: RemoteFile | None = None
    # Counts what `blocks` has yielded; the buffer of the file may be ahead of that.
    _position: int = attrs.field(default=0, init=False)

    @classmethod
    def open(cls, name: str) -> "InputFile":
        """Open a file, a recording or a URL; `-` is standard input."""
        if is_remote(name):
            return cls._open_remote(name)
        is_folder = os.path.lexists(Path(name) / DELTAS)
        try:
            raw = _open_sums(Path(name)) if is_folder else _open(name)
            status = os.fstat(raw.fileno())
            regular = stat.S_ISREG(status.st_mode)
            content = content_of(raw)
        except OSError as error:
            raise InputError(f"{name}: {error.strerror}") from error
        return cls(
            name=name,
            size=status.st_size if regular else None,
            modified_s=status.st_mtime if regular else time.time(),
            raw=raw,
            content=content,
            is_folder=is_folder,
        )

    @classmethod
    def _open_remote(cls, name: str) -> "InputFile":
        try:
            remote = RemoteFile.of(name)
            raw = remote.open()
            return cls(
                name=name,
                size=remote.size,
                modified_s=remote.modified_s,
                raw=raw,
                content=content_of(raw),
                is_folder=remote.is_folder,
                remote=remote,
            )
        except OSError as error:
            raise InputError(f"{name}: {error.strerror}") from error

    @property
    def is_recording(self) -> bool:
        """Return whether this is a recording of syswatch."""
        return self.is_folder or is_recording(self.peek())

    @property
    def is_seekable(self) -> bool:
        """Return whether any part of the content can be read on its own."""
        return self.size is not None and self._content is self._raw

    def read_at(self, begin: int, length: int) -> bytes:
        """Return a range of the file as it is stored, wherever the reading is."""
        try:
            if self._remote is not None:
                return self._remote.read_at(begin, length)
            return os.pread(self._raw.fileno(), length, begin)
        except OSError as error:
            raise InputError(f"{self.name}: {error.strerror}") from error

    @property
    def is_remote(self) -> bool:
        """Return whether this is read through connections, which no fork may share."""
        return self._remote is not None

    def peek(self) -> bytes:
        """Return the beginning of what has not been read, without consuming it."""
        try:
            return self._content.peek(BLOCK)
        except (EOFError, OSError, zlib.error):
            return b""  # Reading raises the same error, which is reported then.

    def head(self) -> list[bytes]:
        """Return the first lines that can be read without consuming them."""
        if not self.is_seekable:
            return self.peek().split(b"\n")[:-1]
        return self.read_at(0, BLOCK).split(b"\n")[:-1]

    def first_and_last_time(self) -> tuple[bytes, bytes]:
        """Return the times of the first and the last line that have one; empty if unknown."""
        if self.size is None:
            return b"", b""
        first = next(filter(None, map(time_of, self.head())), b"")
        if not self.is_seekable:
            return first, b""  # Compressed: its end is only known when it has been read.
        begin = max(0, self.size - BLOCK)
        tail = self.read_at(begin, BLOCK).split(b"\n")[1 if begin else 0 :]
        last = next(filter(None, map(time_of, reversed(tail))), b"")
        return first, last

    def blocks(self, timeout_s: float) -> Generator[tuple[bytes, int]]:
        """
        Yield the content in blocks, each with the number of bytes of the file that it took.

        An empty block means that a pipe had nothing to read for this time.
        """
        while True:
            block, length = self._read()
            if not block:
                return
            yield block, length
            while self._is_pipe and not select.select([self._raw], [], [], timeout_s)[0]:
                yield b"", 0

    def __enter__(self) -> Self:
        """Return the open input."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._raw.close()

    @property
    def _is_pipe(self) -> bool:
        # A decompressor may have buffered data when its pipe has none.
        return self.size is None and self._content is self._raw and self._remote is None

    def _read(self) -> tuple[bytes, int]:
        try:
            block = self._content.read1(BLOCK)
        except EOFError as error:
            raise InputError(f"{self.name}: the compressed data ends too early") from error
        except (OSError, zlib.error) as error:
            reason = isinstance(error, OSError) and error.strerror
            raise InputError(f"{self.name}: {reason or error}") from error
        if self.size is None:
            return block, len(block)
        before, self._position = self._position, self._raw.tell()
        return block, self._position - before


def _open(name: str) -> io.BufferedReader:
    if name == "-":
        return os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
    return Path(name).open("rb")


def _open_sums(folder: Path) -> io.BufferedReader:
    """Open the sums of a recording of every call; no link, and no pipe, which would never end."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.fdopen(os.open(folder / DELTAS, flags), "rb")
    except OSError as error:
        raise InputError(f"{folder}: its file {DELTAS}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise InputError(f"{folder}: its file {DELTAS} is not a regular file")
    return file
