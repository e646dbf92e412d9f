"""Common parts of tests of filters."""

from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Message
from tests.reading import read_logs, total

LOG = b"""\
1 execve("/bin/cat", ["cat", "secret-token"], 0x7ffd /* 9 vars */) = 0 <0.000100>
1 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3</etc/passwd> <0.000010>
1 read(3</etc/passwd>, "root:secret-token", 4096) = 17 <0.000010>
2 openat(AT_FDCWD, "/none", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000010>
1 write(1, "/etc/passwd", 11 <unfinished ...>
2 close(9) = -1 EBADF (Bad file descriptor) <0.000010>
1 <... write resumed>) = 11 <0.000010>
1 exit_group(0) = ?
"""


class FilterCase(SynchronousTestCase):
    """Reads a small log with filters."""

    def read(self, content: bytes = LOG, **options: Any) -> list[Message]:
        """Return the messages of reading a log or a recording with some options."""
        path = Path(self.mktemp())
        path.write_bytes(content)
        return read_logs([path], **options)

    def names(self, **options: Any) -> dict[str, int]:
        """Return the number of calls of each name."""
        return {name: each.count for name, each in total(self.read(**options)).calls.items()}
