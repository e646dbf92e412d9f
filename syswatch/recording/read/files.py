"""
Opens the files of a recording, which anyone may have made.

Links are not followed, and nothing but a regular file is read: a pipe would never end.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from syswatch.base.text import escape_text
from syswatch.codec.recording import RecordingError

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def open_regular(path: Path) -> Iterator[int]:
    """Open a regular file and return its descriptor; raise OSError or RecordingError."""
    fd = os.open(path, _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise RecordingError("it is not a regular file")
        yield fd
    finally:
        os.close(fd)


def check_folder(path: Path) -> None:
    """Raise RecordingError unless this is a directory, and not a link to one."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise RecordingError(f"{path.name}: {error.strerror}") from error
    if not stat.S_ISDIR(mode):
        raise RecordingError(f"the recording is damaged: {path.name} is not a directory")


def reason_of(error: BaseException) -> str:
    """Return what an error says, in one short line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return escape_text(text.partition("\n")[0][:200]).rstrip(".")
