"""
A process that restores the CPU affinity of traced threads if the tracer is killed.

The kernel detaches traced threads when their tracer ends, but it does not know that the tracer has
bound them to one CPU.  The tracer sends every bound thread to the guard; if the pipe is closed
before the final line, the tracer was killed, and the guard restores the affinity of all threads.
"""

import contextlib
import os
from collections.abc import Iterable
from functools import partial

from syswatch.base.classes import define

from .background import run_in_background

_PIPE = 0
_DONE = b"."


@define
class AffinityGuard:
    """The tracer's end of the pipe to the guard process."""

    _pipe: int

    @classmethod
    def start(cls, cpu: int) -> "AffinityGuard":
        """Start the guard process for threads bound to this CPU."""
        read_end, write_end = os.pipe()
        run_in_background(partial(_guard, read_end, cpu))
        os.close(read_end)
        return cls(write_end)

    def remember(self, tid: int, own_cpus: Iterable[int]) -> None:
        """Send a thread and its own CPUs; without any, the thread is not bound any more."""
        self._send(f"{tid} {' '.join(map(str, own_cpus))}\n".encode())

    def dismiss(self) -> None:
        """End the guard process, after all threads have been restored."""
        self._send(_DONE + b"\n")
        os.close(self._pipe)

    def _send(self, line: bytes) -> None:
        # If the guard itself was killed, tracing continues.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, line)


def _guard(read_end: int, cpu: int) -> None:
    """Wait until the tracer has ended, and restore all threads unless it has done so."""
    # An inherited pipe would not reach its end while this process has it open.
    os.dup2(read_end, _PIPE)
    os.closerange(_PIPE + 1, os.sysconf("SC_OPEN_MAX"))
    affinities: dict[int, set[int]] = {}
    with open(_PIPE, "rb") as pipe:
        for line in pipe:
            if line.strip() == _DONE:
                return
            tid, *own_cpus = map(int, line.split())
            affinities[tid] = set(own_cpus)
    _restore(affinities, cpu)


def _restore(affinities: dict[int, set[int]], cpu: int) -> None:
    for tid, own_cpus in affinities.items():
        with contextlib.suppress(OSError):
            if own_cpus and os.sched_getaffinity(tid) == {cpu}:
                os.sched_setaffinity(tid, own_cpus)
