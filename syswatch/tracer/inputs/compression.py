"""Decompresses inputs, by what they begin with."""

import gzip
import io
from collections.abc import Callable
from typing import Any, Protocol

import attrs

from syswatch.base.classes import define
from syswatch.settings.engine import EXTRA

_GZIP_MAGIC = b"\x1f\x8b"
_BZIP2_MAGIC = b"BZh"
_XZ_MAGIC = b"\xfd7zXZ\x00"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_COMPRESSED = (_GZIP_MAGIC, _BZIP2_MAGIC, _XZ_MAGIC, _ZSTD_MAGIC)
# The extensions of compressed files, as part of an expression.
SUFFIXES = r"\.(?:gz|bz2|xz|zst)"
# What cannot be read, by how it begins.
_OTHERS = {
    b"PK\x03\x04": "a ZIP archive; unpack it first",
    b"7z\xbc\xaf": "a 7-Zip archive; unpack it first",
    b"\xff\xfe": "text in UTF-16; 'iconv -f UTF-16 -t UTF-8' converts it",
    b"\xfe\xff": "text in UTF-16; 'iconv -f UTF-16 -t UTF-8' converts it",
    **dict.fromkeys(_COMPRESSED, "compressed twice; decompress it first"),
}


class Content(Protocol):
    """Bytes that are read from their beginning to their end."""

    def peek(self, size: int, /) -> bytes:
        """Return the beginning of what has not been read."""

    def read1(self, size: int, /) -> bytes:
        """Read the next bytes; none at the end."""


def content_of(raw: io.BufferedReader) -> Content:
    """Return the content of a file, which is the file itself unless it is compressed."""
    begin = raw.peek(len(_XZ_MAGIC))
    if begin.startswith(_GZIP_MAGIC):
        return gzip.GzipFile(fileobj=raw)
    if begin.startswith(_BZIP2_MAGIC):
        import bz2

        return bz2.BZ2File(raw)
    if begin.startswith(_XZ_MAGIC):
        import lzma

        return _Converted(lzma.LZMAFile(raw), lzma.LZMAError)
    if begin.startswith(_ZSTD_MAGIC):
        return _zstd(raw)
    return raw


def why_unreadable(begin: bytes) -> str:
    """Return what an input is that begins so, if that cannot be read; else nothing."""
    return next((reason for magic, reason in _OTHERS.items() if begin.startswith(magic)), "")


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
