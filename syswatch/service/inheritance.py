"""
What a command would have inherited from the shell, had we not come between.

Starting a child by way of Twisted resets all signals and closes all descriptors but those that are
named.  `syswatch run` must hand on what it was given itself: a shell ignores Ctrl+C on behalf of a
command in the background, nohup ignores SIGHUP, and `<(…)` is a descriptor above the usual three.
"""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs

from syswatch.machine.capabilities import read_status

# The interpreter ignores these in any case, so nobody can tell what they were before.
_IGNORED_BY_PYTHON = frozenset({signal.SIGPIPE, signal.SIGXFSZ})
_FIRST = 3
_SIGNALS = 64
_INTERRUPTS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


@attrs.frozen
class Inheritance:
    """Signals that are ignored, and descriptors that are open, for those who come after us."""

    ignored: tuple[int, ...] = ()
    descriptors: tuple[int, ...] = ()

    @classmethod
    def ours(cls) -> "Inheritance":
        """Return what we were given; to be asked before a reactor runs and takes signals."""
        return cls(_ignored_signals(read_status()), _descriptors(os.environ))

    def free_descriptors(self) -> tuple[int, int]:
        """Return two numbers that no inherited descriptor has."""
        taken = set(self.descriptors)
        free = (number for number in range(_FIRST, _FIRST + len(taken) + 2) if number not in taken)
        return next(free), next(free)


@contextmanager
def interrupts_held_back() -> Iterator[tuple[int, ...]]:
    """
    Hold back from a child, until it can take them, the signals that end programs; yield which.

    Those that were held back from us already are none of them: they must stay so.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield tuple(sorted(_INTERRUPTS - before))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def standard_streams() -> dict[int, int]:
    """Return the user's own; what stands in the place of a closed one is ours, and is left out."""
    return {number: number for number in range(_FIRST) if _is_inheritable(number)}


def _ignored_signals(status: Mapping[str, str]) -> tuple[int, ...]:
    """Return them as the kernel counts them: the C library hides two that it needs for itself."""
    mask = int(status["SigIgn"], 16)
    numbers = (number for number in range(1, _SIGNALS + 1) if mask >> (number - 1) & 1)
    return tuple(number for number in numbers if number not in _IGNORED_BY_PYTHON)


def _descriptors(environment: Mapping[str, str]) -> tuple[int, ...]:
    """Return what is open and was not opened by Python, which never hands descriptors on."""
    not_theirs = _sockets_of_service_manager(environment)
    numbers = sorted(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
    return tuple(
        number
        for number in numbers
        if number >= _FIRST and number not in not_theirs and _is_inheritable(number)
    )


def _is_inheritable(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # It is closed, as the one that the folder was read with.
        return False


def _sockets_of_service_manager(environment: Mapping[str, str]) -> range:
    """Return the listening sockets that a service manager opened for the server."""
    if environment.get("LISTEN_PID") != str(os.getpid()):
        return range(0)
    return range(_FIRST, _FIRST + int(environment.get("LISTEN_FDS", "0")))
