"""Room on the disk for a save when the disk is full."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs

from syswatch.base.classes import define
from syswatch.recording import durable

RESERVED_BYTES: Final = 1 << 20
# Others must not miss it.
_LEAST_FREE: Final = 64 * RESERVED_BYTES


@define
class Reserve:
    """A file of which only the size matters: it is removed when its room is needed."""

    path: Path
    held: int = attrs.field(default=0, init=False)

    def hold(self) -> None:
        """Reserve the room, unless little is left on the disk."""
        with suppress(OSError):
            free = os.statvfs(self.path.parent)
            if self.held or free.f_bavail * free.f_frsize < _LEAST_FREE:
                return
            with durable.open_private(self.path, os.O_TRUNC) as file:
                os.posix_fallocate(file.fileno(), 0, RESERVED_BYTES)
            self.held = RESERVED_BYTES

    def release(self) -> bool:
        """Free the room; return whether there was any."""
        held, self.held = self.held, 0
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        return bool(held)
