"""
What each thread spent its time on.

The wall time of a thread is the time in its own code, working in calls, waiting in calls, ready
without a CPU, and stopped.  Calls in progress are included up to the time of the delta.
"""

from collections.abc import Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import frozen

from .objects import ObjectKind, other_object
from .table import Table
from .times import add_ns

TRACKED_THREADS = 5000
# The thread that stands for all those beyond the limit.
OTHER_THREADS = 0
# How many waits of one thread are kept apart; of the others, only the call is kept, and the kind of
# the object if the name of the call implies it.
_KEPT_WAITS = 200
CHILD_WAITS = frozenset({"vfork", "wait4", "waitid", "waitpid"})
SLEEPS = frozenset({"clock_nanosleep", "clock_nanosleep_time64", "nanosleep"})
_KINDS = {
    **dict.fromkeys(CHILD_WAITS, ObjectKind.CHILD),
    **dict.fromkeys(SLEEPS, ObjectKind.SLEEP),
}


class Wait(NamedTuple):
    """What a thread waited for: an object, in a call."""

    object: int
    call: str


OTHER_WAITS = Wait(0, "")


def _coarser(wait: Wait) -> Wait:
    """Return all waits in calls of that name, or else all waits."""
    # Without the mark of a 32-bit program, as in `wait4@i386`.
    kind = _KINDS.get(wait.call.partition("@")[0], ObjectKind.NONE)
    every = Wait(other_object(kind), wait.call)
    return OTHER_WAITS if wait == every else every


@frozen
class ThreadTimes:
    """The wall time of a thread, or of several, by state."""

    user_ns: int = 0
    working_ns: int = 0
    ready_ns: int = 0
    # Off the CPU outside of calls: page faults that read a file, job control, the tracer itself.
    stopped_ns: int = 0
    waiting: Mapping[Wait, int] = attrs.field(factory=dict)
    # Of the stopped time, the part in which a signal such as SIGSTOP had stopped it, if known.
    suspended_ns: int = 0

    def __add__(self, other: "ThreadTimes") -> "ThreadTimes":
        """Add the times state by state."""
        return ThreadTimes(
            add_ns(self.user_ns, other.user_ns),
            add_ns(self.working_ns, other.working_ns),
            add_ns(self.ready_ns, other.ready_ns),
            add_ns(self.stopped_ns, other.stopped_ns),
            _WAITS.sum(self.waiting, other.waiting),
            add_ns(self.suspended_ns, other.suspended_ns),
        )

    @property
    def waiting_ns(self) -> int:
        """The time waiting, for whatever."""
        return sum(self.waiting.values())

    @property
    def wall_ns(self) -> int:
        """The whole time."""
        parts = self.user_ns + self.working_ns + self.ready_ns + self.stopped_ns
        return parts + self.waiting_ns

    def renamed(self, objects: Mapping[int, int]) -> "ThreadTimes":
        """Return the times with some objects replaced by others."""
        if objects.keys().isdisjoint(wait.object for wait in self.waiting):
            return self
        waiting: dict[Wait, int] = {}
        for wait, spent_ns in self.waiting.items():
            new = Wait(objects.get(wait.object, wait.object), wait.call)
            waiting[new] = add_ns(waiting.get(new, 0), spent_ns)
        return attrs.evolve(self, waiting=waiting)


_WAITS: Table[Wait, int] = Table(_KEPT_WAITS, add_ns, _coarser, int)


@frozen
class ThreadTally:
    """A thread and the sum of its times."""

    pid: int = 0
    comm: str = ""
    times: ThreadTimes = attrs.field(factory=ThreadTimes)
    calls: int = 0
    errors: int = 0
    has_ended: bool = False

    def __add__(self, other: "ThreadTally") -> "ThreadTally":
        """Add the numbers; of the other facts, the later ones win."""
        return ThreadTally(
            other.pid or self.pid,
            other.comm or self.comm,
            self.times + other.times,
            self.calls + other.calls,
            self.errors + other.errors,
            other.has_ended,
        )


Threads = Mapping[int, ThreadTally]


def _wall_ns(tally: ThreadTally) -> int:
    return tally.times.wall_ns


def _of_any_process(tally: ThreadTally) -> ThreadTally:
    """Return the numbers of a thread, without what it is called and whose it is."""
    return ThreadTally(times=tally.times, calls=tally.calls, errors=tally.errors)


THREADS: Table[int, ThreadTally] = Table(
    TRACKED_THREADS, ThreadTally.__add__, lambda _: OTHER_THREADS, _wall_ns, _of_any_process
)
