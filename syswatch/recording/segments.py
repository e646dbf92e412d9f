"""The files of a recording: segments, named by numbers, that appear whole or not at all."""

import os
import re
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path

CALLS = "calls"
LOSSES = "losses"
BINS = "bins"
_SEGMENT = re.compile(r"(\d{8,12})\.parquet")
_PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700


def name_of(number: int) -> str:
    """Return the name of the file of a segment."""
    return f"{number:08}.parquet"


def numbers_in(folder: Path, kind: str) -> list[int]:
    """Return the numbers of the segments of a kind, in order."""
    return sorted(_numbers(folder / kind))


def _numbers(folder: Path) -> Iterator[int]:
    try:
        files = list(folder.iterdir())
    except FileNotFoundError:
        return
    for file in files:
        if match := _SEGMENT.fullmatch(file.name):
            yield int(match[1])


def save(folder: Path, kind: str, number: int, write: Callable[[Path], None]) -> int:
    """Write a segment beside its place, and rename it; return its size."""
    place = folder / kind
    place.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
    beside = place / f".{name_of(number)}"
    try:
        open_private(beside, os.O_TRUNC).close()
        write(beside)
        size = beside.stat().st_size
        beside.replace(place / name_of(number))
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return size


def open_private(path: Path, flags: int) -> FileIO:
    """Open a file for writing that only its owner may read; create it if necessary."""
    return FileIO(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flags, _PRIVATE), "wb")
