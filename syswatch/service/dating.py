"""
The time of day, by which a living trace is dated, when somebody sets it back.

What was seen before lies in the future then, and nothing that comes is newer: there would be no
rate and no history, and the log would stand still, until the old time has come again.  So what
was seen is moved along, as if the clock had never been wrong.
"""

from collections.abc import Callable

import attrs
from twisted.internet.interfaces import IReactorTime

from syswatch.model.delta import Delta
from syswatch.model.times import SECOND_NS

# Less does no harm, and a time server that only slows a clock down is not meant.
_LEAST_S = 2


@attrs.define
class Dating:
    """Compares the time of day with a clock that nobody can set."""

    _wall_ns: Callable[[], int]
    _clock: IReactorTime
    _ahead_s: float | None = attrs.field(default=None, init=False)
    _step_s: int = attrs.field(default=0, init=False)

    def step_s(self) -> int:
        """Return by how many seconds the time was set back since the last look: 0, or less."""
        ahead_s = self._wall_ns() / SECOND_NS - self._clock.seconds()
        before_s, self._ahead_s = self._ahead_s, ahead_s
        step_s = 0 if before_s is None else round(ahead_s - before_s)
        if step_s > -_LEAST_S:
            return 0
        self._step_s = step_s
        return step_s

    def corrected(self, delta: Delta) -> Delta:
        """Return a delta that was on its way when the time was set back as if it came after."""
        # Not by its span: that was closed, and dated, when the time had been set already.
        newest_s = max(delta.window.seconds, default=0)
        is_early = self._step_s and newest_s > self._wall_ns() // SECOND_NS + _LEAST_S
        return delta.shifted(self._step_s) if is_early else delta
