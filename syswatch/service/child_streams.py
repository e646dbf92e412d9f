"""
The standard streams of a child while the terminal belongs to a user interface.

The child reads from /dev/null, and writes both outputs into one pipe, which keeps their order.  An
error output that is redirected elsewhere is left alone.
"""

import fcntl
import os
from collections.abc import Mapping
from contextlib import suppress

from syswatch.base.classes import define

STDIN, STDOUT, STDERR = 0, 1, 2
PIPE_BYTES = 1 << 20


@define
class ChildStreams:
    """The ends of the pipe, and what the child reads."""

    # The end of this process.
    output_fd: int
    # Whether the error output is the terminal as well.
    takes_errors: bool
    _ends: tuple[int, ...]

    @classmethod
    def open(cls) -> "ChildStreams":
        """Open them; nothing is redirected yet."""
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        read_end, write_end = os.pipe()
        with suppress(OSError):  # The user's limit for pipes may be reached.
            fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        return cls(read_end, _same_terminal(STDOUT, STDERR), (null, write_end))

    @property
    def of_child(self) -> Mapping[int, int]:
        """The descriptors of the child, and those of this process to give it."""
        null, write_end = self._ends
        return {STDIN: null, STDOUT: write_end, STDERR: write_end if self.takes_errors else STDERR}

    def enter(self) -> None:
        """Make them the streams of this process, which is the child."""
        for number, descriptor in self.of_child.items():
            if number != descriptor:
                os.dup2(descriptor, number)
        self.child_started()
        os.close(self.output_fd)

    def child_started(self) -> None:
        """Close the child's ends here: the pipe must end when the last child closes it."""
        ends, self._ends = self._ends, ()
        for descriptor in ends:
            os.close(descriptor)

    def close(self) -> None:
        """Close everything."""
        self.child_started()
        os.close(self.output_fd)


def _same_terminal(one: int, other: int) -> bool:
    try:
        return os.isatty(other) and os.fstat(one).st_rdev == os.fstat(other).st_rdev
    except OSError:
        return False
