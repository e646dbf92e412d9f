"""
A recording as a tar archive, part by part: it may be larger than the memory.

The archive holds what is finished when it is begun, whatever is added or replaced meanwhile: the
segments that are there, and of the deltas, which are appended to, the bytes that are there.
"""

import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from io import FileIO
from operator import itemgetter
from pathlib import Path

from syswatch.codec.recording import DELTAS
from syswatch.machine.regular_files import open_regular

from . import manifest, segments

_BLOCK = 1 << 18
_PRIVATE = 0o600
_RECORD = tarfile.BLOCKSIZE
# What is not a segment, in the order of the archive.
_SINGLE = (manifest.NAME, "processes.parquet", "objects.parquet", DELTAS)


class ShortenedError(Exception):
    """A file became shorter while it was read."""


def packed(folder: Path) -> Iterator[bytes]:
    """Yield the archive in parts; raise OSError or ShortenedError if a file cannot be read."""
    top = folder.resolve().name
    with ExitStack() as opened:
        finished = list(_segments(folder))
        # Opened after that, because they describe what is in the segments.
        singles = {name: opened.enter_context(file) for name, file in _singles(folder)}
        sizes = {name: _size(file) for name, file in singles.items()}
        for name, file in singles.items():
            yield from _member(file, f"{top}/{name}", sizes[name])
    for path in finished:
        try:
            file = open_regular(folder / path)
        except FileNotFoundError:
            if _is_older(path, folder):
                continue
            raise
        with file:
            yield from _member(file, f"{top}/{path}", _size(file))
    # Two empty records are the end.
    yield bytes(2 * _RECORD)


def _segments(folder: Path) -> Iterator[Path]:
    """
    Yield the paths of the finished segments in the recording, from the oldest.

    Calls are written after the losses of the same time; their bins can be computed from them.
    """
    kinds = (segments.CALLS, segments.LOSSES, segments.BINS)
    found = [(number, kind) for kind in kinds for number in segments.numbers_in(folder, kind)]
    for number, kind in sorted(found, key=itemgetter(0)):
        yield Path(kind, segments.name_of(number))


def _is_older(path: Path, folder: Path) -> bool:
    """Return whether all segments in a folder are newer: then a flight recorder removed this."""
    left = (each.name for each in _segments(folder))
    return path.name < min(left, default=path.name)


def _singles(folder: Path) -> Iterator[tuple[str, FileIO]]:
    """Open the files that are not segments; in its first second, a recording has few."""
    for name in _SINGLE:
        with suppress(FileNotFoundError):
            yield name, open_regular(folder / name)


def _member(file: FileIO, name: str, size: int) -> Iterator[bytes]:
    """Yield the first bytes of a file as a member of the archive."""
    header = tarfile.TarInfo(name)
    header.size, header.mode = size, _PRIVATE
    header.mtime = int(os.fstat(file.fileno()).st_mtime)
    yield header.tobuf(tarfile.PAX_FORMAT)
    rest = size
    while rest:
        data = os.pread(file.fileno(), min(rest, _BLOCK), size - rest)
        if not data:
            raise ShortenedError(f"{name} became shorter while it was read")
        rest -= len(data)
        yield data
    yield bytes(-size % _RECORD)


def _size(file: FileIO) -> int:
    return os.fstat(file.fileno()).st_size
