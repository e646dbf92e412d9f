"""
Steps of the system clock during a live trace.

When the clock is set, times recorded before would lie in the future or in the distant past: the
trace would have no rate and no history, or would seem to have started at the old time.  So recorded
times are shifted by the step, as if the clock had been right from the start.
"""

from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.model.delta import Delta
from syswatch.model.times import SECOND_NS

# Smaller steps do no harm; a time server that slews the clock must not count as a step.
_MIN_STEP_S = 2
# A delta made before a step arrives within this time.
_MAX_TRANSIT_S = 5


@define
class ClockSteps:
    """Detects steps by comparing the system clock with a clock that cannot be set."""

    _wall_ns: Callable[[], int]
    _steady_s: Callable[[], float]
    _offset_s: float | None = attrs.field(default=None, init=False)
    _step_s: int = attrs.field(default=0, init=False)
    _stepped_s: float = attrs.field(default=0.0, init=False)

    def take_step_s(self) -> int:
        """Return the seconds by which the clock was set since the last call; negative is back."""
        steady_s = self._steady_s()
        offset_s = self._wall_ns() / SECOND_NS - steady_s
        before_s, self._offset_s = self._offset_s, offset_s
        step_s = 0 if before_s is None else round(offset_s - before_s)
        if abs(step_s) < _MIN_STEP_S:
            return 0
        self._step_s, self._stepped_s = step_s, steady_s
        return step_s

    def corrected(self, delta: Delta) -> Delta:
        """Return a delta with its times shifted if it was in transit during the last step."""
        if not self._step_s or (self._step_s > 0 and self._transit_is_over()):
            return delta
        now_ns, step_ns = self._wall_ns(), self._step_s * SECOND_NS
        # Halfway between the old time and the new one.
        limit_ns = now_ns - step_ns // 2

        def shift(at_ns: int) -> int:
            """Shift times before the step; parts of a delta may be from after it."""
            if (at_ns < limit_ns) == (step_ns > 0):
                return min(at_ns + step_ns, now_ns)
            return at_ns

        return delta.redated(shift)

    def _transit_is_over(self) -> bool:
        return self._steady_s() - self._stepped_s > _MAX_TRANSIT_S
