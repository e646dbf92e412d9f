"""The files of a recording: segments, named by numbers, that appear whole or not at all."""

import re
from collections.abc import Iterator
from pathlib import Path

from . import durable

CALLS = "calls"
LOSSES = "losses"
BINS = "bins"
_SEGMENT = re.compile(r"(\d{8,12})\.parquet")
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


def is_segment(name: str) -> bool:
    """Return whether a file of this name is a segment."""
    return _SEGMENT.fullmatch(name) is not None


def save(folder: Path, kind: str, number: int, data: bytes | memoryview) -> int:
    """Write a segment, which appears whole; return its size."""
    place = folder / kind
    place.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
    return durable.replace(place / name_of(number), data)
