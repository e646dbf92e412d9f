"""Sums for each second, which viewers draw as curves."""

from collections import Counter
from collections.abc import Iterable, Iterator

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Loss
from syswatch.model.times import SECOND_NS

from .selection import Row

Values = Iterable[tuple[int, float]]


@define
class Counters:
    """Calls and bytes by the second in which calls returned, and the time in calls."""

    _calls: Counter[int] = attrs.field(factory=Counter, init=False)
    _bytes: Counter[int] = attrs.field(factory=Counter, init=False)
    _inside_ns: Counter[int] = attrs.field(factory=Counter, init=False)
    _lost: Counter[int] = attrs.field(factory=Counter, init=False)

    def add(self, rows: Iterable[Row]) -> None:
        """Add calls; those that have not returned are not counted."""
        for row in rows:
            if row.duration_ns is None:
                continue
            first, last = row.start_ns // SECOND_NS, row.end_ns // SECOND_NS
            self._calls[last] += 1
            self._bytes[last] += row.bytes
            if first == last:
                self._inside_ns[last] += row.duration_ns
                continue
            self._inside_ns[first] += (first + 1) * SECOND_NS - row.start_ns
            self._inside_ns.update(dict.fromkeys(range(first + 1, last), SECOND_NS))
            self._inside_ns[last] += row.end_ns - last * SECOND_NS

    def lose(self, loss: Loss) -> None:
        """Add calls that are missing."""
        self._lost[loss.second] += loss.calls

    def tracks(self) -> Iterator[tuple[str, str, Values]]:
        """Yield the name, the unit and the values of each curve, which fall to 0 in gaps."""
        yield "Calls per second", "calls", _curve(self._calls, 1)
        yield "Bytes per second", "bytes", _curve(self._bytes, 1)
        yield "Calls in progress (average)", "calls", _curve(self._inside_ns, SECOND_NS)
        if self._lost:
            yield "Missing calls per second", "calls", _curve(self._lost, 1)


def _curve(sums: Counter[int], divisor: int) -> Iterator[tuple[int, float]]:
    for second in sorted(sums):
        yield second * SECOND_NS, sums[second] / divisor
        if second + 1 not in sums:
            yield (second + 1) * SECOND_NS, 0
