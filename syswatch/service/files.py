"""Files that are either whole or not there."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from syswatch.wire import RECORDING_MAGIC


def open_recording(name: str) -> BinaryIO:
    """Begin a recording; every frame written to it is in the file at once."""
    recording = Path(name).open("wb", buffering=0)  # noqa: SIM115  it stays open
    recording.write(RECORDING_MAGIC)
    return recording


def write_whole(name: str, content: str) -> None:
    """Write a file beside its place and move it there; on an error the old one stays."""
    path = Path(name)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except (OSError, ValueError):  # No room, or a content that is no text.
        with suppress(OSError):
            Path(temporary).unlink()
        raise
