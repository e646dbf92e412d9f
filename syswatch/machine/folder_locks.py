"""
Locks on directories, by which others see whether a process still writes to them.

The kernel removes a lock when the process ends, however it ends.  Looking for a lock does not take
one, so readers disturb neither the process that holds it nor each other.
"""

import fcntl
import os
import struct
from contextlib import suppress
from pathlib import Path

import attrs

from syswatch.base.classes import define

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# The kind of lock, whence, start, length and PID of `struct flock`; a length of 0 means all.
_FLOCK = struct.Struct("@hhqqi4x")


@define
class FolderLock:
    """A lock on a directory, which does nothing in a file system without locks."""

    folder: Path
    _fd: int = attrs.field(default=-1, init=False)

    def hold(self) -> None:
        """Lock the directory, unless that is not possible."""
        with suppress(OSError):
            self._fd = os.open(self.folder, _FLAGS)
            fcntl.fcntl(self._fd, fcntl.F_OFD_SETLK, _flock(fcntl.F_RDLCK))

    def release(self) -> None:
        """Remove the lock, if there is one."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def is_locked(folder: Path) -> bool:
    """Return whether a process of this machine has locked a directory."""
    try:
        descriptor = os.open(folder, _FLAGS)
    except OSError:
        return False
    try:
        found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _flock(fcntl.F_WRLCK))
    except OSError:
        return False
    finally:
        os.close(descriptor)
    kind, *_ = _FLOCK.unpack(found)
    return bool(kind != fcntl.F_UNLCK)


def _flock(kind: int) -> bytes:
    return _FLOCK.pack(kind, os.SEEK_SET, 0, 0, 0)
