"""
Opens files that anyone may have made, such as those of a recording, for reading.

Links are not followed, and nothing but a regular file is read: a pipe would never end.
"""

import os
import stat
from io import FileIO
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_regular(path: Path | str, dir_fd: int | None = None) -> FileIO:
    """Open a regular file, perhaps of a directory; an OSError with a reason if it is another."""
    fd = os.open(path, _FLAGS, dir_fd=dir_fd)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "it is not a regular file", str(path))
    return FileIO(fd, "rb")
