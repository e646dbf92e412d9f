"""
The time of day, by which a living trace is dated, when somebody sets it.

What was seen before lies in the future then, or long ago: there would be no rate and no history
until the old time has come again, or the trace would seem to have lasted since the old time.  So
what was seen is moved along, as if the clock had always been right.
"""

from collections.abc import Callable

import attrs

from syswatch.model.delta import Delta
from syswatch.model.times import SECOND_NS

# Less does no harm, and a time server that only slows a clock down is not meant.
_LEAST_S = 2
# A delta that was made before the time was set has come by then.
_ON_ITS_WAY_S = 5


@attrs.define
class Dating:
    """Compares the time of day with a clock that nobody can set, and that never stands still."""

    _wall_ns: Callable[[], int]
    _steady_s: Callable[[], float]
    _ahead_s: float | None = attrs.field(default=None, init=False)
    _step_s: int = attrs.field(default=0, init=False)
    _stepped_s: float = attrs.field(default=0.0, init=False)

    def step_s(self) -> int:
        """Return by how many seconds the time was set since the last look; less than 0 is back."""
        steady_s = self._steady_s()
        ahead_s = self._wall_ns() / SECOND_NS - steady_s
        before_s, self._ahead_s = self._ahead_s, ahead_s
        step_s = 0 if before_s is None else round(ahead_s - before_s)
        if abs(step_s) < _LEAST_S:
            return 0
        self._step_s, self._stepped_s = step_s, steady_s
        return step_s

    def corrected(self, delta: Delta) -> Delta:
        """Return a delta that was on its way when the time was set as if it came after."""
        if not self._step_s or (self._step_s > 0 and self._is_past()):
            return delta
        now_ns, step_ns = self._wall_ns(), self._step_s * SECOND_NS
        # Halfway between the old time and the new one.
        limit_ns = now_ns - step_ns // 2

        def date(at_ns: int) -> int:
            """Move what was dated before the step; parts of a delta may be dated after it."""
            if (at_ns < limit_ns) == (step_ns > 0):
                return min(at_ns + step_ns, now_ns)
            return at_ns

        return delta.redated(date)

    def _is_past(self) -> bool:
        """Return whether nothing from before the step can be on its way any more."""
        return self._steady_s() - self._stepped_s > _ON_ITS_WAY_S
