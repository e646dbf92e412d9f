"""Creates the directory of a recording before anything is traced, or explains why it cannot."""

import os
from contextlib import suppress
from pathlib import Path

from syswatch.codec.recording import DELTAS
from syswatch.recording import durable, manifest
from syswatch.recording.extra import UnwritableError

from .about import about_this_trace

_PRIVATE_FOLDER = 0o700


def why_not(folder: Path) -> str:
    """Return what is wrong with a path for a new recording, as a clause."""
    if not folder.exists():
        return ""
    if not folder.is_dir():
        return "is a file (a recording is a directory)"
    if (folder / manifest.NAME).exists():
        return "holds a recording already (choose another directory)"
    return "is not empty (choose another directory)" if any(folder.iterdir()) else ""


def claim(name: str) -> None:
    """Create an empty recording, in a directory that does not exist or is empty."""
    folder = Path(name)
    try:
        if reason := why_not(folder):
            raise UnwritableError(f"--record: {name} {reason}")
        with suppress(FileExistsError):
            folder.mkdir(mode=_PRIVATE_FOLDER)
        _create_manifest(folder)
    except OSError as error:
        raise UnwritableError(f"--record: {name} cannot be written: {error.strerror}") from error


def release(folder: Path) -> None:
    """Remove a recording in which nothing was recorded, so that the directory can be used again."""
    for name in (DELTAS, manifest.NAME):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):  # It may be a mount point, or another file may have been put there.
        folder.rmdir()


def _create_manifest(folder: Path) -> None:
    # Two recorders may have found the directory empty: only one of them can create the file.
    try:
        durable.open_private(folder / manifest.NAME, os.O_EXCL).close()
    except FileExistsError as error:
        raise UnwritableError(f"--record: {folder} is being written by another syswatch") from error
    try:
        manifest.write(folder, about_this_trace())
    except OSError:
        release(folder)
        raise
