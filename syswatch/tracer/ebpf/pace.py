"""How often the tracer reads: four times a second, or once a second if that costs much."""

import attrs

from syswatch.model.delta import Delta
from syswatch.model.times import SECOND_NS

# A whole fraction of a second, so that each reading belongs to one second.
READ_NS = SECOND_NS // 4
# Two readings of everything are never closer to each other than this, even if one was late.
_LEAST_NS = SECOND_NS // 2
# So many processes, threads and rows that change between two readings take a fiftieth of a core.
_MANY_ROWS = 100
# The records of processes and threads that have ended are free only after they have been read.
_MANY_ENDS = 500


@attrs.define
class Pace:
    """Decides what to read, by the time and by what the last reading has found."""

    _is_slow: bool = attrs.field(default=False, init=False)
    _whole_ns: int = attrs.field(default=0, init=False)

    def is_whole(self, now_ns: int) -> bool:
        """Return whether to read everything: in each second once, even if the clock is set back."""
        rest_ns = now_ns - self._whole_ns
        is_new = rest_ns < 0 or now_ns // SECOND_NS != self._whole_ns // SECOND_NS
        if not is_new or 0 <= rest_ns < _LEAST_NS:
            return False
        self._whole_ns = now_ns
        return True

    @property
    def is_slow(self) -> bool:
        """Return whether to read only once a second."""
        return self._is_slow

    def note(self, delta: Delta) -> None:
        """Choose the pace by what was read."""
        rows = len(delta.processes) + len(delta.threads) + len(delta.activity)
        self._is_slow = rows > _MANY_ROWS and _ends(delta) < _MANY_ENDS


def _ends(delta: Delta) -> int:
    processes = sum(bool(tally.ending) for tally in delta.processes.values())
    return processes + sum(tally.has_ended for tally in delta.threads.values())
