"""
A recorder that is forked before Twisted is imported.

It loads its packages while the service is imported, so it is ready when the first calls of a log
arrive.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import attrs

from syswatch.base.classes import define
from syswatch.codec.frames import encode
from syswatch.machine.environment import erase_variables, show_command_line
from syswatch.machine.forking import fork_to
from syswatch.machine.proc import open_descriptors
from syswatch.model.messages import Failed

from .systemd import PRIVATE_VARIABLES

_STREAMS = _STDIN, _STDOUT, _STDERR = range(3)
# What the child is called in lists of processes.
_TITLE = "syswatch.recording.write"
_NOT_STARTED = "syswatch ended before the trace began"
# Runs a recorder with the arguments of `python -m syswatch.recording.write`.
Record = Callable[[Sequence[str]], int]


@define
class EarlyRecorder:
    """A child process that no reactor knows yet, and that has created nothing but its directory."""

    pid: int
    # The numbers of its pipes in this process.
    frames_fd: int
    reports_fd: int
    _is_adopted: bool = attrs.field(default=False, init=False)

    @classmethod
    def start(cls, record: Record, folder: str, events_fd: int) -> "EarlyRecorder | None":
        """Start it; return None if that fails."""
        pipes: list[int] = []
        try:
            pipes += os.pipe()
            pipes += os.pipe()
            frames_of_child, frames_fd, reports_fd, reports_of_child = pipes

            def run() -> int:
                os.dup2(frames_of_child, _STDIN)
                os.dup2(reports_of_child, _STDOUT)
                # Among the others are ends of pipes of the tracer, which must be the only ones.
                _close(set(open_descriptors()).difference((*_STREAMS, events_fd)))
                erase_variables(PRIVATE_VARIABLES)
                show_command_line(_TITLE)
                return record([f"--events={events_fd}", f"--directory={folder}"])

            pid = fork_to(run)
        except OSError:  # The second attempt reports why.
            _close(pipes)
            return None
        _close((frames_of_child, reports_of_child))
        return cls(pid, frames_fd, reports_fd)

    def adopt(self) -> None:
        """Note that its end is waited for elsewhere, and that its pipes are closed there."""
        self._is_adopted = True

    def close(self) -> None:
        """End a child that has not become part of a session; it removes an empty recording."""
        if self._is_adopted:
            return
        with suppress(BrokenPipeError):
            os.write(self.frames_fd, encode(Failed(_NOT_STARTED)))
        _close((self.frames_fd, self.reports_fd))
        os.waitpid(self.pid, 0)


def _close(numbers: Iterable[int]) -> None:
    for number in numbers:
        with suppress(OSError):  # The list of open ones was one of them.
            os.close(number)
