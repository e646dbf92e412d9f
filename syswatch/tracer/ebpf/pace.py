"""
How often the tracer reads what: less often if that costs much, and seldom if no client looks.

What is counted stays in the kernel meanwhile.  All of it are sums, so nothing is lost.
"""

import enum

import attrs

from syswatch.base.classes import define
from syswatch.model.delta import Delta
from syswatch.model.messages import TraceOptions
from syswatch.model.times import SECOND_NS

# A whole fraction of a second, so that each reading belongs to one second.
READ_NS = SECOND_NS // 4
# How often everything is read while no client looks.
REST_NS = 15 * SECOND_NS
# Two readings of everything are never closer to each other than this, even if one was late.
_LEAST_NS = SECOND_NS // 2
# So many processes, threads and rows that change between two readings take a fiftieth of a core.
_MANY_ROWS = 100
# The records of processes and threads that have ended are free only after they have been read.
_MANY_ENDS = 500
# New objects in a second: what finds no free record is added to all others of its kind.
_MANY_OBJECTS = 100


class Part(enum.Enum):
    """What is read at a time; each part includes those before it."""

    # Samples of calls, which would be lost.
    SAMPLES = enum.auto()
    # The sums of all calls and of groups.
    SUMS = enum.auto()
    # What has changed of processes, threads and objects.
    CHANGES = enum.auto()
    EVERYTHING = enum.auto()


@define
class Pace:
    """Decides what to read, by the time, by what was found before, and by who looks."""

    # What is recorded is small, and complete at any time.
    is_recorded: bool = False
    # Whether everything but the sums may stay in the kernel for a while.
    may_rest: bool = True
    # Whether a client looks at more than the sums.
    is_watched: bool = False
    _is_slow: bool = attrs.field(default=False, init=False)
    _is_calm: bool = attrs.field(default=False, init=False)
    # When a second began, when everything was read, and when something was found.
    _second_ns: int = attrs.field(default=0, init=False)
    _read_ns: int = attrs.field(default=0, init=False)
    _noted_ns: int = attrs.field(default=0, init=False)

    def choose(self, now_ns: int, *, is_urgent: bool = False) -> Part:
        """Return what to read; `is_urgent` if records must be freed."""
        begins = self._begins_second(now_ns)
        if self.is_resting and not is_urgent and 0 <= now_ns - self._read_ns < REST_NS:
            return Part.SUMS if begins else Part.SAMPLES
        if begins or (self.is_resting and is_urgent):
            self._read_ns = now_ns
            return Part.EVERYTHING
        return Part.SAMPLES if self._is_slow and not self.is_recorded else Part.CHANGES

    @property
    def is_resting(self) -> bool:
        """Return whether only the sums are read, most of the time."""
        is_needed = self.is_watched or self.is_recorded or not self.may_rest
        return self._is_slow and self._is_calm and not is_needed

    def hurry(self) -> None:
        """Read everything when the next second begins."""
        self._read_ns = 0

    def note(self, delta: Delta, now_ns: int) -> None:
        """Choose the pace by what was found; everything, if that was read between two seconds."""
        seconds = max((now_ns - self._noted_ns) / SECOND_NS, 1)
        self._noted_ns = now_ns
        rows = len(delta.processes) + len(delta.threads) + len(delta.activity)
        self._is_slow = rows > _MANY_ROWS and _ends(delta) < _MANY_ENDS * seconds
        self._is_calm = len(delta.objects) < _MANY_OBJECTS * seconds

    def _begins_second(self, now_ns: int) -> bool:
        """Return whether this is the first reading in a second, even if the clock is set back."""
        rest_ns = now_ns - self._second_ns
        is_new = rest_ns < 0 or now_ns // SECOND_NS != self._second_ns // SECOND_NS
        if not is_new or 0 <= rest_ns < _LEAST_NS:
            return False
        self._second_ns = now_ns
        return True


def may_rest(options: TraceOptions) -> bool:
    """Return whether nothing is lost if it is read later."""
    # The tables of single processes and of the profile are free only when they have been read, and
    # the environment of a process must be read while it exists.
    return not (options.per_process or options.profile or options.trace_parents)


def _ends(delta: Delta) -> int:
    processes = sum(bool(tally.ending) for tally in delta.processes.values())
    return processes + sum(tally.has_ended for tally in delta.threads.values())
