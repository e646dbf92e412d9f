"""
The current rate: a weighted average of the last few seconds.

The second 2 s ago weighs most; the weights fall linearly to zero towards now and 4 s ago.  So a
program that does all its work once a second, or once in two, has the same rate all the time, where
a plain second would hold one burst, none, or two.  For the first four seconds it is the plain
average since the start.
"""

from collections.abc import Iterable, Iterator, Mapping

import attrs

from syswatch.base.classes import define, frozen

from .delta import Delta, Span
from .times import SECOND_NS

_HALF_NS = 2 * SECOND_NS
RATE_WINDOW_NS = 2 * _HALF_NS


@frozen
class _Piece:
    """Calls that were made at unknown times within an interval."""

    begin_ns: int
    end_ns: int
    counts: Mapping[str, int]


@define
class RecentCalls:
    """The calls of the last few seconds, as finely as the tracer reported them."""

    _pieces: list[_Piece] = attrs.field(factory=list, init=False)
    _first_ns: int | None = attrs.field(default=None, init=False)
    # The last timestamp of the previous delta.
    _known_ns: int = attrs.field(default=0, init=False)

    def add(self, delta: Delta) -> None:
        """Add the calls of a delta that have timestamps."""
        if delta.span is None:
            return
        self._add(_pieces(delta, self._known_ns), delta.span)

    def add_counts(self, counts: Mapping[str, int], span: Span) -> None:
        """Add calls that were made between the previous ones and the end of a span."""
        begin_ns = min(max(self._known_ns, span.first_ns), span.last_ns)
        self._add([_Piece(begin_ns, span.last_ns, counts)], span)

    def _add(self, pieces: Iterable[_Piece], span: Span) -> None:
        self._first_ns = min(span.first_ns, self._first_ns or span.first_ns)
        self._pieces += pieces
        self._known_ns = span.last_ns
        newest_ns = max((piece.end_ns for piece in self._pieces), default=0)
        self._pieces = [
            piece for piece in self._pieces if piece.end_ns > newest_ns - RATE_WINDOW_NS
        ]

    def shift(self, seconds: int) -> None:
        """Move all timestamps."""
        step_ns = seconds * SECOND_NS
        if self._first_ns is not None:
            self._first_ns += step_ns
        self._known_ns += step_ns
        self._pieces = [
            _Piece(piece.begin_ns + step_ns, piece.end_ns + step_ns, piece.counts)
            for piece in self._pieces
        ]

    def rates(self, now_ns: int) -> Mapping[str, float]:
        """Return calls per second by name."""
        if self._first_ns is None:
            return {}
        # Calls of the last second may not have arrived yet: the average ends before it.
        now_ns = max(min(self._known_ns, now_ns), now_ns - SECOND_NS)
        age_ns = now_ns - self._first_ns
        # An average over a fraction of a second would jump.
        same = SECOND_NS / max(age_ns, SECOND_NS)
        rates: dict[str, float] = {}
        for piece in self._pieces:
            ago = now_ns - piece.end_ns, now_ns - piece.begin_ns
            if weight := same if age_ns < RATE_WINDOW_NS else _weight(*ago):
                for name, count in piece.counts.items():
                    rates[name] = rates.get(name, 0.0) + count * weight
        # Rounded here, so that the rates of the calls add up to the total.
        return {name: round(rate, 3) for name, rate in rates.items()}


def _pieces(delta: Delta, known_ns: int) -> Iterator[_Piece]:
    seconds, span = delta.window.seconds, delta.span
    newest = max(seconds, default=0)
    for second, calls in seconds.items():
        if (newest - second) * SECOND_NS <= RATE_WINDOW_NS:
            counts = {name: totals.count for name, totals in calls.items()}
            yield _Piece(*_extent(second, span, known_ns), counts)


def _extent(second: int, span: Span | None, known_ns: int) -> tuple[int, int]:
    """Return the interval in which the calls of a second were made."""
    begin_ns, end_ns = second * SECOND_NS, (second + 1) * SECOND_NS
    if span is not None and span.first_ns <= end_ns and span.last_ns >= begin_ns:
        begin_ns, end_ns = max(begin_ns, span.first_ns), min(end_ns, span.last_ns)
    # The parts of a log arrive in any order; those of a live trace do not.
    return (known_ns, end_ns) if begin_ns <= known_ns < end_ns else (begin_ns, end_ns)


def _weight(from_ns: int, to_ns: int) -> float:
    """Return the average weight, per second, of an interval given by its ages."""
    if from_ns == to_ns:
        return max(_HALF_NS - abs(_HALF_NS - from_ns), 0) * SECOND_NS / _HALF_NS**2
    return (_part_until(to_ns) - _part_until(from_ns)) * SECOND_NS / (to_ns - from_ns)


def _part_until(ago_ns: int) -> float:
    """Return the share of all weights between now and an age."""
    ago_ns = min(max(ago_ns, 0), RATE_WINDOW_NS)
    if ago_ns <= _HALF_NS:
        return ago_ns**2 / (2 * _HALF_NS**2)
    return 1 - (RATE_WINDOW_NS - ago_ns) ** 2 / (2 * _HALF_NS**2)
