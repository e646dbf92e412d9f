"""What each thread is doing: not a sum, but a state, of which the newest report counts."""

import enum
from collections.abc import Callable, Mapping

import attrs

from syswatch.base.classes import frozen


class Doing(enum.Enum):
    """What a thread is doing."""

    IN_CALL = "in call"
    RUNNING = "running"
    # It could run, but no CPU is free.
    READY = "ready"
    STOPPED = "stopped"


@frozen
class ThreadNow:
    """One thread; a call, its object and its arguments are those of the call in progress."""

    pid: int
    comm: str = ""
    doing: Doing = Doing.RUNNING
    call: str = ""
    # When the call began, in nanoseconds since 1970; None if that is not known.
    since_ns: int | None = None
    # Whether the thread waits in the call rather than works.
    waits: bool = False
    object: int = 0
    args: str = ""


@frozen
class Now:
    """All threads at one time, in nanoseconds since 1970; the time is 0 if nothing is reported."""

    at_ns: int = 0
    threads: Mapping[int, ThreadNow] = attrs.field(factory=dict)

    def __add__(self, other: "Now") -> "Now":
        """Return the newer report."""
        return other if other.at_ns >= self.at_ns else self

    def redated(self, date: Callable[[int], int]) -> "Now":
        """Move all timestamps by a function of nanoseconds."""
        if not self.at_ns:
            return self
        threads = {
            tid: thread
            if thread.since_ns is None
            else attrs.evolve(thread, since_ns=date(thread.since_ns))
            for tid, thread in self.threads.items()
        }
        return Now(date(self.at_ns), threads)


NOTHING_REPORTED = Now()
