"""Inputs in object stores and on web servers, read through fsspec."""

import io
import os
import re
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from syswatch.base.classes import frozen
from syswatch.codec.recording import DELTAS
from syswatch.settings.engine import EXTRA

_WITH_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.ASCII)
_GLOB = re.compile(r"[*?[]")


class RemoteError(OSError):
    """A URL cannot be read; `strerror` is the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, reason)


def is_remote(name: str) -> bool:
    """Return whether a name is a URL; a file of that name comes first."""
    return _WITH_SCHEME.match(name) is not None and not os.path.lexists(name)


@frozen
class RemoteFile:
    """A file in a file system of fsspec."""

    files: Any
    path: str
    is_folder: bool

    @classmethod
    def of(cls, url: str) -> "RemoteFile":
        """Return the file of a URL, or the sums of the recording that is there."""
        files, path = _file_system(url)
        try:
            is_folder = bool(files.isdir(path)) and bool(files.exists(f"{path}/{DELTAS}"))
        except Exception as error:
            raise RemoteError(_reason(error)) from error
        return cls(files, f"{path}/{DELTAS}" if is_folder else path, is_folder)

    def open(self) -> io.BufferedReader:
        """Open the file for reading from its beginning."""
        try:
            file: IO[bytes] = self.files.open(self.path, "rb")
        except Exception as error:
            raise RemoteError(_reason(error)) from error
        return io.BufferedReader(_Raw(file))

    @property
    def size(self) -> int | None:
        """How many bytes the file has, if that is known."""
        try:
            size = self.files.size(self.path)
        except Exception as error:
            raise RemoteError(_reason(error)) from error
        return None if size is None else int(size)

    @property
    def modified_s(self) -> float:
        """When the file was written; now if that is unknown."""
        with suppress(Exception):
            modified = self.files.modified(self.path)
            if isinstance(modified, datetime):
                return modified.timestamp()
        return time.time()

    def read_at(self, begin: int, length: int) -> bytes:
        """Return a range of the content."""
        try:
            return bytes(self.files.cat_file(self.path, start=begin, end=begin + length))
        except Exception as error:
            raise RemoteError(_reason(error)) from error


@frozen
class RemoteFolder:
    """A directory in a file system of fsspec."""

    files: Any
    path: str

    @classmethod
    def of(cls, url: str) -> "RemoteFolder":
        """Return the directory of a URL, which need not exist."""
        files, path = _file_system(url)
        return cls(files, path.rstrip("/"))

    def names(self, below: str = "") -> set[str]:
        """Return the names of what is in a directory of this one; none if there is none."""
        path = f"{self.path}/{below}".rstrip("/")
        try:
            found = self.files.ls(path, detail=False)
        except FileNotFoundError:
            return set()
        except Exception as error:
            raise RemoteError(_reason(error)) from error
        return {str(each).rstrip("/").rpartition("/")[2] for each in found}

    def fetch(self, name: str, copy: Path) -> None:
        """Copy a file to this machine."""
        try:
            self.files.get_file(f"{self.path}/{name}", str(copy))
        except Exception as error:
            raise RemoteError(_reason(error)) from error


def expanded(url: str) -> tuple[str, ...]:
    """Return the URLs that a pattern matches, in the order of their names."""
    if not _GLOB.search(url):
        return (url,)
    files, path = _file_system(url)
    try:
        found = files.glob(path)
    except Exception as error:
        raise RemoteError(_reason(error)) from error
    if not found:
        raise RemoteError("no file matches this pattern")
    return tuple(files.unstrip_protocol(each) for each in sorted(found))


def _file_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise RemoteError(f"reading URLs needs the package fsspec: {EXTRA}") from error
    try:
        files, path = url_to_fs(url)
    except ImportError as error:
        raise RemoteError(f"another package is needed: {error}") from error
    except Exception as error:
        scheme = url.partition("://")[0]
        unknown = isinstance(error, ValueError) and "not known" in str(error)
        reason = f"the scheme '{scheme}' is not supported" if unknown else _reason(error)
        raise RemoteError(reason) from error
    return files, path


def _reason(error: Exception) -> str:
    """Return why it failed, in one line."""
    if isinstance(error, FileNotFoundError):
        return os.strerror(2)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


class _Raw(io.RawIOBase):
    """A file of fsspec whose errors are those of the operating system."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        """Return whether it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes."""
        try:
            block = self._file.read(len(buffer))
        except Exception as error:
            raise RemoteError(_reason(error)) from error
        buffer[: len(block)] = block
        return len(block)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
