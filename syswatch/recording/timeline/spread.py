"""
Sums of calls over the intervals that they last through.

How a call's time waiting is distributed over its duration is not known; it is taken as even.
What has passed until a moment is rounded, and an interval gets the difference of two moments: so
the sums over any intervals that follow each other are exact, whatever their length.
"""

from typing import Any

from syswatch.base.classes import frozen
from syswatch.recording.extra import load


@frozen
class Pieces:
    """The pieces into which intervals cut calls: which call, which interval, from when to when."""

    row: Any
    interval: Any
    begin: Any
    end: Any

    def amount(self, whole: Any, start: Any, end: Any) -> Any:
        """Return what each piece gets of an amount of each call."""
        numpy = load("numpy")
        found = whole[self.row]
        parts = numpy.flatnonzero((self.begin != start[self.row]) | (self.end != end[self.row]))
        if len(parts):
            rows = self.row[parts]
            given = whole[rows], start[rows], end[rows]
            found[parts] = _until(self.end[parts], *given) - _until(self.begin[parts], *given)
        return found

    def has_start(self, start: Any, step: int) -> Any:
        """Return whether each piece has the start of its call."""
        return self.interval == (start // step)[self.row]


def _until(moment: Any, whole: Any, start: Any, end: Any) -> Any:
    """Return how much of an amount has passed at a moment."""
    numpy = load("numpy")
    passed = (moment - start) / numpy.maximum(end - start, 1)
    return numpy.where(moment >= end, whole, (whole * passed).astype("i8"))


def cut(start: Any, end: Any, step: int, first: int, after: int) -> Pieces:
    """
    Cut calls at the multiples of `step`; leave out what is outside of intervals.

    The intervals are numbered: `first * step` is the begin of the first one that is kept.
    """
    numpy = load("numpy")
    begin = numpy.maximum(start // step, first)
    last = numpy.minimum(numpy.maximum(end - 1, start) // step, after - 1)
    pieces = numpy.maximum(last - begin + 1, 0)
    row = numpy.repeat(numpy.arange(len(start)), pieces)
    number = numpy.arange(len(row)) - numpy.repeat(numpy.cumsum(pieces) - pieces, pieces)
    interval = begin[row] + number
    return Pieces(
        row,
        interval,
        numpy.maximum(interval * step, start[row]),
        numpy.minimum((interval + 1) * step, end[row]),
    )
