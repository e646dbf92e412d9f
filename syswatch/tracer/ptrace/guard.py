"""
A process that outlives a tracer that is killed, and then gives threads their CPUs back.

The kernel lets traced threads go when their tracer dies, but it does not know that the tracer has
bound them to one CPU.  The guard is told of every thread that is bound; when its pipe ends without
a good-bye, the tracer is dead, and the guard undoes what it left behind.
"""

import contextlib
import os
import signal
from collections.abc import Iterable

import attrs

_PIPE = 0
_GOOD_BYE = b"."


@attrs.define
class Guard:
    """The tracer's end of the pipe."""

    _pipe: int

    @classmethod
    def post(cls, cpu: int) -> "Guard":
        """Start the guard of a CPU."""
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            # Forked twice, it is no child of the tracer, which waits for all of its children.
            if os.fork() == 0:
                _keep_watch(read_end, cpu)
            os._exit(0)
        os.close(read_end)
        os.waitpid(child, 0)
        return cls(write_end)

    def remember(self, tid: int, home: Iterable[int]) -> None:
        """Tell of a thread and its own CPUs; without any, it is bound no longer."""
        self._say(f"{tid} {' '.join(map(str, home))}\n".encode())

    def dismiss(self) -> None:
        """Send it home: everything has been given back."""
        self._say(_GOOD_BYE + b"\n")
        os.close(self._pipe)

    def _say(self, words: bytes) -> None:
        # A guard that was killed itself is no reason to stop tracing.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, words)


def _keep_watch(read_end: int, cpu: int) -> None:
    """Wait for the end of the pipe; never returns."""
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        # It must keep nothing open that somebody waits for the end of.
        os.dup2(read_end, _PIPE)
        os.closerange(_PIPE + 1, os.sysconf("SC_OPEN_MAX"))
        homes: dict[int, set[int]] = {}
        with open(_PIPE, "rb") as pipe:
            for line in pipe:
                if line.strip() == _GOOD_BYE:
                    return
                tid, *home = map(int, line.split())
                homes[tid] = set(home)
        _give_back(homes, cpu)
    finally:
        os._exit(0)


def _give_back(homes: dict[int, set[int]], cpu: int) -> None:
    for tid, home in homes.items():
        with contextlib.suppress(OSError):
            if home and os.sched_getaffinity(tid) == {cpu}:
                os.sched_setaffinity(tid, home)
