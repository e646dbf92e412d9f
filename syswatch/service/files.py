"""Files that are either whole or not there."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex


def write_whole(name: str, content: str) -> None:
    """
    Write a file beside its place and move it there; on an error the old one stays.

    What is no file, or lies where nothing can be put beside it, is written to as it is.
    """
    path, data = Path(name), content.encode()
    if path.exists() and not _may_be_replaced(path):
        path.write_bytes(data)
        return
    # A link goes on leading to the file.
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _may_be_replaced(path: Path) -> bool:
    """Return whether another file may replace it: a device or a pipe must not be replaced."""
    return path.is_file() and os.access(path.resolve().parent, os.W_OK)
