"""Files that appear whole or not at all, also if the machine loses power."""

import os
from io import FileIO
from pathlib import Path

_PRIVATE = 0o600


def open_private(path: Path, flags: int) -> FileIO:
    """Open a file for writing that only its owner may read; create it if necessary."""
    return FileIO(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flags, _PRIVATE), "wb")


def write_all(file: FileIO, data: bytes | memoryview) -> None:
    """Write all bytes: when the disk is nearly full, one call writes only a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def replace(path: Path, data: bytes | memoryview) -> int:
    """Write a file beside its place, and rename it; return its size."""
    beside = path.with_name(f".{path.name}")
    try:
        with open_private(beside, os.O_TRUNC) as file:
            write_all(file, data)
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return len(data)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
