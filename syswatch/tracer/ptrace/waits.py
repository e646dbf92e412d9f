"""
How the duration of a call divides into working, waiting and ready.

The stops of the tracer are context switches themselves, so the number of switches says nothing,
and reading the scheduler's statistics takes a noticeable part of the time of a short call.
Therefore a call shorter than `LONG_NS` counts as working.  After a longer one, the statistics are
compared with those from before the call: from its entry if the call was likely to wait, else from
the last time they were read.  In the second case, what the thread did in between is only known
approximately.

A thread that has stopped at the exit of its call waits until the tracer has handled the stops of
others.  With many threads, that can take far longer than the call, so it is not part of its
duration.  If the thread neither waited nor was preempted, it was stopped for all the time in which
it neither ran nor was ready.  Otherwise, it is only known for how long it may have been stopped:
since the last time that no stop was pending.
"""

from typing import NamedTuple

import attrs

from syswatch.base.classes import frozen

from .schedule import NOTHING_USED, Usage

# A shorter call counts as working.
LONG_NS = 100_000
# What is left of the duration when a call did not wait: the stops, and the tracer's own delay.
_SHORTEST_WAIT_NS = 50_000
# The statistics of a running thread are that old at most.
_TICK_NS = 10_000_000
# An uncertainty of more than a hundredth makes it an estimate.
_EXACT = 100


@frozen
class Split:
    """
    How long a call waited and was ready without a CPU; the rest of its duration it worked.

    `stopped_ns` is how long its thread was stopped by the tracer; the duration does not include it.
    """

    waiting_ns: int = 0
    ready_ns: int = 0
    is_estimate: bool = False
    stopped_ns: int = 0

    @property
    def waited(self) -> bool:
        """Return whether it waited at all."""
        return self.waiting_ns > 0


NO_WAIT = Split()


@frozen
class Before:
    """The statistics of a thread before a call, and how often it had been resumed from a stop."""

    usage: Usage = NOTHING_USED
    at_ns: int = 0
    resumed: int = 0


class Lasted(NamedTuple):
    """
    The duration of a call, or of its part until now.

    `resumed` is how often the thread has been resumed from a stop.  `late_ns` is for how long it
    may have been stopped at the exit, None before that.  `can_wait` tells whether it is the purpose
    of the call to wait.
    """

    entered_ns: int
    now_ns: int
    resumed: int = 0
    late_ns: int | None = 0
    can_wait: bool = True


def split(before: Before, usage: Usage, lasted: Lasted) -> Split:
    """Divide the duration of a call that was not short; `usage` is the present one."""
    duration_ns = lasted.now_ns - lasted.entered_ns
    gap_ns = max(lasted.entered_ns - before.at_ns, 0)
    used, late_ns = usage.since(before.usage), lasted.late_ns
    if late_ns is None:
        return _split_running(used, duration_ns, gap_ns, lasted)
    # For at least so long it waited or was stopped: its CPU time in the gap is a part of the other.
    off_ns = max(duration_ns - used.run_ns - used.ready_ns, 0)
    if used.switches <= lasted.resumed - before.resumed:
        # It was switched in by the stops only, so it neither waited nor was preempted.
        ready_ns = 0 if gap_ns else min(max(used.ready_ns, 0), duration_ns)
        uncertain_ns = _noticeable(min(gap_ns, duration_ns - off_ns, late_ns - off_ns))
        return Split(0, ready_ns, uncertain_ns * _EXACT > duration_ns - off_ns, off_ns)
    uncertain_ns = _noticeable(min(off_ns, late_ns))
    # More likely it was stopped, unless its purpose is to wait.
    stopped_ns = 0 if lasted.can_wait else uncertain_ns
    divided = _split_running(used, duration_ns - stopped_ns, gap_ns, lasted)
    is_estimate = divided.is_estimate or uncertain_ns * _EXACT > duration_ns - stopped_ns
    return attrs.evolve(divided, is_estimate=is_estimate, stopped_ns=stopped_ns)


def _noticeable(uncertain_ns: int) -> int:
    """Return for how long a thread may have been stopped, 0 if that is usual."""
    return uncertain_ns if uncertain_ns >= _SHORTEST_WAIT_NS else 0


def _split_running(used: Usage, duration_ns: int, gap_ns: int, lasted: Lasted) -> Split:
    """Divide the time that a thread spent in a call, until it stopped at the exit."""
    if not lasted.can_wait and used.run_ns + used.ready_ns + gap_ns >= duration_ns:
        # More likely it was preempted.
        ready_ns = min(max(used.ready_ns, 0), duration_ns)
        return Split(0, ready_ns, is_estimate=gap_ns * _EXACT > duration_ns)
    # At least this long it ran, and was ready, in the call itself.
    run_ns = min(max(used.run_ns - gap_ns, 0), duration_ns)
    ready_ns = min(max(used.ready_ns - gap_ns, 0), duration_ns - run_ns)
    waiting_ns = duration_ns - run_ns - ready_ns
    # While a call runs, its time is counted at ticks only.
    returned = lasted.late_ns is not None
    shortest_ns = _SHORTEST_WAIT_NS if returned else min(_TICK_NS, run_ns + _SHORTEST_WAIT_NS)
    if waiting_ns < shortest_ns:
        return Split(0, ready_ns, gap_ns * _EXACT > duration_ns)
    uncertain_ns = min(gap_ns, used.run_ns + used.ready_ns)
    return Split(waiting_ns, ready_ns, uncertain_ns * _EXACT > duration_ns)


def split_by_guess(duration_ns: int, *, can_wait: bool) -> Split:
    """Divide the duration of a call if the kernel has no statistics."""
    return Split(duration_ns if can_wait else 0, is_estimate=True)
