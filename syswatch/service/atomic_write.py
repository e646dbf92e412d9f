"""Atomic file replacement."""

import os
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o600


def write_atomically(name: str, content: str, mode: int = PRIVATE) -> None:
    """
    Write a temporary file beside the target and rename it; on an error the old file stays.

    A new file has the mode, as far as the umask of the process lets it.

    A device or a pipe, or a file in a directory that is not writable, is written in place.
    """
    path, data = Path(name), content.encode()
    if path.exists() and not _is_replaceable(path):
        path.write_bytes(data)
        return
    # Replace the file that a symbolic link points to, not the link.
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(temporary, flags, mode), "wb") as file:
            file.write(data)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _is_replaceable(path: Path) -> bool:
    return path.is_file() and os.access(path.resolve().parent, os.W_OK)
