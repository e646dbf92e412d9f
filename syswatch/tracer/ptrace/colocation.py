"""
When the tracer and the traced threads are better off on one CPU.

A stop wakes the tracer, and resuming wakes the thread.  Between two CPUs each of these wakes a
CPU that has gone idle, which costs more than everything else together; on one CPU it is a switch
from one task to the next.  But one CPU is all that the threads have then, so those that compute at
the same time must not be put there.
"""

import attrs

_SECOND_NS = 1_000_000_000
# Stops a second.  Between the two nothing changes, so that a program in between does not flutter.
_FREQUENT = 1000
_RARE = 500
# CPUs that the threads keep busy.  More than this does not fit on one beside the tracer ...
_ROOMY = 0.9
# ... and a share as large as this, while they are on one, says that they would use more.
_CROWDED = 0.75
_FIRST_PAUSE_NS = 1 * _SECOND_NS
_LONGEST_PAUSE_NS = 32 * _SECOND_NS


@attrs.frozen
class Load:
    """What happened since the last decision."""

    span_ns: int
    stops: int
    busy_ns: int
    threads: int

    @property
    def stop_rate(self) -> float:
        """Stops a second."""
        return self.stops * _SECOND_NS / self.span_ns

    @property
    def busy(self) -> float:
        """How many CPUs the threads kept busy, on average."""
        return self.busy_ns / self.span_ns


@attrs.define
class Colocation:
    """Decides whether everything belongs on one CPU; never acts."""

    together: bool = False
    _pause_ns: int = attrs.field(default=_FIRST_PAUSE_NS, init=False)
    _not_before_ns: int = attrs.field(default=0, init=False)

    def decide(self, load: Load, now_ns: int) -> bool:
        """Return whether everything should be on one CPU from now on."""
        if self.together:
            self.together = load.stop_rate >= _RARE and not self._is_crowded(load, now_ns)
        else:
            self.together = (
                load.stop_rate >= _FREQUENT
                and now_ns >= self._not_before_ns
                and (load.threads == 1 or load.busy < _ROOMY)
            )
        return self.together

    def _is_crowded(self, load: Load, now_ns: int) -> bool:
        """Say whether threads wait for each other; then try again after ever longer pauses."""
        if load.threads == 1 or load.busy < _CROWDED:
            return False
        self._not_before_ns = now_ns + self._pause_ns
        self._pause_ns = min(2 * self._pause_ns, _LONGEST_PAUSE_NS)
        return True
