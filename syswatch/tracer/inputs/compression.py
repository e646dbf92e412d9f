"""Decompresses inputs, by what they begin with."""

import gzip
import io
from collections.abc import Callable
from typing import Any, Protocol

import attrs

from syswatch.base.classes import define
from syswatch.settings.engine import EXTRA

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Content(Protocol):
    """Bytes that are read from their beginning to their end."""

    def peek(self, size: int, /) -> bytes:
        """Return the beginning of what has not been read."""

    def read1(self, size: int, /) -> bytes:
        """Read the next bytes; none at the end."""


def content_of(raw: io.BufferedReader) -> Content:
    """Return the content of a file, which is the file itself unless it is compressed."""
    magic = raw.peek(len(_ZSTD_MAGIC))[: len(_ZSTD_MAGIC)]
    if magic.startswith(_GZIP_MAGIC):
        return gzip.GzipFile(fileobj=raw)
    if magic == _ZSTD_MAGIC:
        return _zstd(raw)
    return raw


def _zstd(raw: io.BufferedReader) -> Content:
    try:
        # Part of the standard library from Python 3.14 on.
        from backports import zstd
    except ImportError as error:
        reason = f"reading Zstandard needs the package backports.zstd: {EXTRA}"
        raise OSError(0, reason) from error
    return _Converted(zstd.ZstdFile(raw), zstd.ZstdError)


@define
class _Converted:
    """A file whose errors become those of the operating system, as with gzip."""

    _file: Any
    _error: type[Exception]
    # After an error, the file would say that it ends.
    _failure: str = attrs.field(default="", init=False)

    def peek(self, size: int, /) -> bytes:
        """Return the beginning of what has not been read."""
        return self._do(self._file.peek, size)

    def read1(self, size: int, /) -> bytes:
        """Read the next bytes; none at the end."""
        return self._do(self._file.read1, size)

    def _do(self, read: Callable[[int], bytes], size: int) -> bytes:
        if self._failure:
            raise OSError(self._failure)
        try:
            return read(size)
        except self._error as error:
            self._failure = str(error)
            raise OSError(self._failure) from error
