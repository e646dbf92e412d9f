"""
When the tracer and the traced threads should share one CPU.

A stop wakes the tracer, and resuming wakes the thread.  With two CPUs, each of these wakes an idle
CPU, which costs more than everything else together; on one CPU it is only a task switch.  But then
the threads share that CPU, so threads that compute at the same time must not be bound to it.
"""

import attrs

from syswatch.base.classes import define, frozen

_SECOND_NS = 1_000_000_000
# Stops per second.  Between the two thresholds nothing changes, which avoids flapping.
_FREQUENT = 1000
_RARE = 500
# CPUs that the threads keep busy.  More does not fit on one CPU beside the tracer ...
_MOST_BUSY = 0.9
# ... and threads that use this share of one CPU would use more if they had it.
_CROWDED = 0.75
_FIRST_PAUSE_NS = 1 * _SECOND_NS
_LONGEST_PAUSE_NS = 32 * _SECOND_NS


@frozen
class Load:
    """The load since the last decision."""

    span_ns: int
    stops: int
    busy_ns: int
    threads: int

    @property
    def stop_rate(self) -> float:
        """Return the stops per second."""
        return self.stops * _SECOND_NS / self.span_ns

    @property
    def busy(self) -> float:
        """Return how many CPUs the threads kept busy on average."""
        return self.busy_ns / self.span_ns


@define
class Colocation:
    """Decides whether tracer and threads should share one CPU."""

    together: bool = False
    _pause_ns: int = attrs.field(default=_FIRST_PAUSE_NS, init=False)
    _not_before_ns: int = attrs.field(default=0, init=False)

    def decide(self, load: Load, now_ns: int) -> bool:
        """Return whether they should share one CPU from now on."""
        if self.together:
            self.together = load.stop_rate >= _RARE and not self._is_crowded(load, now_ns)
        else:
            self.together = (
                load.stop_rate >= _FREQUENT
                and now_ns >= self._not_before_ns
                and (load.threads == 1 or load.busy < _MOST_BUSY)
            )
        return self.together

    def _is_crowded(self, load: Load, now_ns: int) -> bool:
        """Return whether the threads compete for the CPU; if so, the next attempt comes later."""
        if load.threads == 1 or load.busy < _CROWDED:
            return False
        self._not_before_ns = now_ns + self._pause_ns
        self._pause_ns = min(2 * self._pause_ns, _LONGEST_PAUSE_NS)
        return True
