"""
Process attributes that a command would inherit from the shell.

Twisted resets all signal dispositions and closes all other descriptors when it starts a child.
`syswatch run` must pass on what it inherited: a shell ignores Ctrl+C for a command in the
background, nohup ignores SIGHUP, and `<(…)` is a descriptor above 2.
"""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from syswatch.base.classes import frozen
from syswatch.machine.proc import open_descriptors, read_status

from .systemd import activated_fds

# The interpreter always ignores these, which hides their inherited disposition.
_IGNORED_BY_PYTHON = frozenset({signal.SIGPIPE, signal.SIGXFSZ})
_STANDARD_STREAMS = range(3)
_SIGNALS = 64
TERMINATION_SIGNALS = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP})


@frozen
class Inherited:
    """The ignored signals and the open descriptors (above 2) to pass on to the command."""

    ignored: tuple[int, ...] = ()
    descriptors: tuple[int, ...] = ()

    @classmethod
    def by_this_process(cls) -> "Inherited":
        """Return what this process inherited; call it before a reactor installs handlers."""
        return cls(_ignored_signals(read_status()), _descriptors(os.environ))

    def free_descriptors(self, count: int) -> tuple[int, ...]:
        """Return the least descriptor numbers that are not inherited ones."""
        taken = set(self.descriptors)
        first = _STANDARD_STREAMS.stop
        candidates = range(first, first + len(taken) + count)
        return tuple(number for number in candidates if number not in taken)[:count]


@contextmanager
def termination_signals_blocked() -> Iterator[tuple[int, ...]]:
    """
    Block the termination signals while a child starts; yield those that the child must unblock.

    Signals that were blocked before are not among them: they must stay blocked.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
    try:
        yield tuple(sorted(TERMINATION_SIGNALS - before))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def standard_streams() -> dict[int, int]:
    """Return the inherited standard streams, without what was opened in place of a closed one."""
    return {number: number for number in _STANDARD_STREAMS if _is_inheritable(number)}


def _ignored_signals(status: Mapping[str, str]) -> tuple[int, ...]:
    """Return the ignored signals by the kernel's numbers; the C library hides two of them."""
    mask = int(status["SigIgn"], 16)
    numbers = (number for number in range(1, _SIGNALS + 1) if mask >> (number - 1) & 1)
    return tuple(number for number in numbers if number not in _IGNORED_BY_PYTHON)


def _descriptors(environment: Mapping[str, str]) -> tuple[int, ...]:
    """Return the inherited descriptors: Python marks those that it opens as not inheritable."""
    excluded = {*_STANDARD_STREAMS, *activated_fds(environment)}
    return tuple(
        number
        for number in open_descriptors()
        if number not in excluded and _is_inheritable(number)
    )


def _is_inheritable(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # Closed, as is the descriptor that the directory was read with.
        return False
