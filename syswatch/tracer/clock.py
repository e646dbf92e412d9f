"""Converting monotonic times to the time of day."""

import time

from syswatch.base.classes import define

# Two clocks are never read at exactly the same time; a larger difference means that the clock has
# been set.
_TOLERANCE_NS = 1_000_000


@define
class Clock:
    """
    The offset from the monotonic clock, by which calls are timed, to the time of day.

    The offset only changes when the clock is set, so that calls keep their order.
    """

    _offset_ns: int = 0

    def offset_ns(self) -> int:
        """Return the present offset."""
        offset_ns = time.time_ns() - time.monotonic_ns()
        if abs(offset_ns - self._offset_ns) > _TOLERANCE_NS:
            self._offset_ns = offset_ns
        return self._offset_ns
