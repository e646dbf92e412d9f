"""Checks of directories with recordings on the command line."""

from collections.abc import Iterable
from pathlib import Path

from syswatch.recording.manifest import Manifest, ManifestError, read
from syswatch.recording.notes import ending, losses

from .arguments import UsageError


def manifest(folder: str) -> Manifest:
    """Return the manifest of a recording; a UsageError if it is none, or cannot be read."""
    try:
        return read(Path(folder))
    except ManifestError as error:
        raise UsageError(f"{folder}: {error}") from error


def notes(folder: str) -> Iterable[str]:
    """
    Return what is missing from a recording, and how the traced program ended.

    Whether the sums are cut short is known once they have been read.
    """
    about = manifest(folder)
    return [f"{folder}: {note}" for note in (*losses(about), ending(about)) if note]
