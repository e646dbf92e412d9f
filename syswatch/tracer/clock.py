"""What time of day it was when the monotonic clock said something."""

import time

import attrs

# Two readings of two clocks are never made at the same time; what differs by less is taken for
# that, and more for somebody who has set the clock.
_TOLERANCE_NS = 1_000_000


@attrs.define
class Clock:
    """
    Knows what to add to the monotonic clock, by which calls are timed, to date them.

    The number stays as it is while nobody sets the clock, so that calls keep their order.
    """

    _offset_ns: int = 0

    def offset_ns(self) -> int:
        """Return what to add now."""
        offset_ns = time.time_ns() - time.monotonic_ns()
        if abs(offset_ns - self._offset_ns) > _TOLERANCE_NS:
            self._offset_ns = offset_ns
        return self._offset_ns
