"""Checks of directories with recordings on the command line."""

import os
from collections.abc import Iterable
from pathlib import Path

from syswatch.codec.recording import DELTAS, NO_DELTAS
from syswatch.machine.folder_locks import is_locked
from syswatch.recording.extra import missing_package
from syswatch.recording.manifest import Manifest, ManifestError, read
from syswatch.recording.notes import being_made, ending, kept, losses, stopped_early

from .arguments import UsageError


def manifest(folder: str) -> Manifest:
    """Return the manifest of a recording; a UsageError if it is none, or cannot be read."""
    try:
        os.lstat(folder)
    except FileNotFoundError as error:
        raise UsageError(f"{folder}: no such directory") from error
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}") from error
    try:
        return read(Path(folder))
    except ManifestError as error:
        raise UsageError(f"{folder}: {error}") from error


def check_packages() -> None:
    """Refuse what needs to read calls if a package for that is not installed."""
    if missing := missing_package():
        raise UsageError(missing)


def notes(folder: str) -> Iterable[str]:
    """
    Return what is missing from a recording, and how the traced program ended.

    Whether the sums are cut short is known once they have been read; without any, this is a
    UsageError.
    """
    # In this order: a recorder that has written the end removes its lock.
    has_recorder = is_locked(Path(folder))
    about = manifest(folder)
    if not os.path.lexists(Path(folder) / DELTAS):
        raise UsageError(f"{folder}: {NO_DELTAS}")
    running = being_made(about, is_locked=has_recorder)
    found = (*kept(about), *losses(about), stopped_early(about), running, ending(about))
    return [f"{folder}: {note}" for note in found if note]
