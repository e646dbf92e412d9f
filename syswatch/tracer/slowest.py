"""Finding the slowest calls while they happen."""

import heapq
from collections import defaultdict

import attrs

from syswatch.base.classes import define
from syswatch.model.slowest import SLOWEST_BY_CALL, SLOWEST_OVERALL, SlowCall, Slowest

# More names do not occur; a program that tries random numbers gets no lists of its own for them.
_MOST_NAMES = 1024


@define
class SlowestFinder:
    """
    Collects the calls that are among the slowest so far, overall or of their name.

    A call whose duration is below `bound` of its name is not among them, so that callers need not
    format its arguments.
    """

    _found: list[SlowCall] = attrs.field(factory=list, init=False)
    # Heaps of the durations that count at present: the first one is the least.
    _overall: list[int] = attrs.field(factory=list, init=False)
    _by_call: dict[str, list[int]] = attrs.field(factory=lambda: defaultdict(list), init=False)

    def bound(self, name: str) -> int:
        """Return the duration from which on a call of this name is among the slowest."""
        least = _least(self._overall, SLOWEST_OVERALL)
        if name in self._by_call or len(self._by_call) < _MOST_NAMES:
            return min(least, _least(self._by_call[name], SLOWEST_BY_CALL))
        return least

    def add(self, call: SlowCall) -> None:
        """Add a call that reaches the bound of its name."""
        _push(self._overall, call.duration_ns, SLOWEST_OVERALL)
        if call.name in self._by_call or len(self._by_call) < _MOST_NAMES:
            _push(self._by_call[call.name], call.duration_ns, SLOWEST_BY_CALL)
        self._found.append(call)

    def take(self) -> Slowest:
        """Return what was found since the last time."""
        found, self._found = self._found, []
        return Slowest.of(found)


def _least(durations: list[int], most: int) -> int:
    # A duration that equals the least one does not change the list.
    return durations[0] + 1 if len(durations) >= most else 0


def _push(durations: list[int], duration_ns: int, most: int) -> None:
    if len(durations) < most:
        heapq.heappush(durations, duration_ns)
    else:
        heapq.heappushpop(durations, duration_ns)
