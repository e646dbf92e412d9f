"""Sums of calls of threads over intervals, and single calls, as arrays of the same length."""

from collections.abc import Iterable
from typing import Any, Self

import attrs

from syswatch.base.classes import frozen
from syswatch.recording.extra import load

from .spread import cut

_AMOUNTS = ("working", "waiting", "ready")


@frozen
class Rows:
    """
    Rows in the order of their starts.

    `lane` and `name` are numbers, see the index.  `calls` began in the interval; a single call
    has the number of its segment and its row there, other rows -1.
    """

    start: Any
    end: Any
    lane: Any
    name: Any
    calls: Any
    errors: Any
    working: Any
    waiting: Any
    ready: Any
    longest: Any
    segment: Any
    row: Any

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.start)

    @classmethod
    def none(cls) -> Self:
        """Return no rows."""
        numpy = load("numpy")
        return cls(**{each.name: numpy.zeros(0, "i8") for each in attrs.fields(cls)})

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Return the rows of all parts, in order."""
        return cls.mixed(parts).in_order()

    @classmethod
    def mixed(cls, parts: Iterable[Self]) -> Self:
        """Return the rows of all parts, of which only sums are needed."""
        numpy = load("numpy")
        some = [part for part in parts if len(part)]
        if not some:
            return cls.none()
        return cls(
            **{
                each.name: numpy.concatenate([getattr(part, each.name) for part in some])
                for each in attrs.fields(cls)
            }
        )

    def in_order(self) -> Self:
        """Return the rows in the order of their starts, in which most are written."""
        if (self.start[1:] >= self.start[:-1]).all():
            return self
        return self.where(load("numpy").argsort(self.start, kind="stable"))

    def where(self, places: Any) -> Self:
        """Return some rows: by a mask, their places or a slice."""
        return attrs.evolve(
            self, **{each.name: getattr(self, each.name)[places] for each in attrs.fields(Rows)}
        )

    def overlapping(self, from_ns: int, to_ns: int) -> Self:
        """Return the rows that are in a range of time, at least in part."""
        numpy = load("numpy")
        until = numpy.searchsorted(self.start, to_ns)
        some = slice(0, until)
        starts, ends = self.start[some], self.end[some]
        # A call without a duration is in the range if its start is.
        places = numpy.flatnonzero((ends > from_ns) | (starts >= from_ns))
        return self.where(some if len(places) == until else places)

    def begun_in(self, from_ns: int, to_ns: int) -> Self:
        """Return the rows that start in a range of time."""
        numpy = load("numpy")
        return self.where(slice(*numpy.searchsorted(self.start, (from_ns, to_ns))))

    def summed(self, step_ns: int, first: int, after: int, groups: Any = None) -> "Self":
        """
        Return sums over intervals of one length, from the first one until before the last.

        There is one row for each interval, lane and name, or each of other `groups`.
        """
        numpy = load("numpy")
        pieces = cut(self.start, self.end, step_ns, first, after)
        begins = pieces.has_start(self.start, step_ns)
        lane, name = self.lane[pieces.row], self.name[pieces.row]
        if groups is not None:
            name = groups[name]
        widest = int(name.max(initial=0)) + 1
        lanes = int(lane.max(initial=0)) + 1
        key = ((pieces.interval - first) * lanes + lane) * widest + name
        keys, place = _distinct(key)

        def total(values: Any) -> Any:
            sums = numpy.zeros(len(keys), "i8")
            numpy.add.at(sums, place, values)
            return sums

        longest = numpy.zeros(len(keys), "i8")
        numpy.maximum.at(longest, place, self.longest[pieces.row] * begins)
        start = (keys // (lanes * widest) + first) * step_ns
        none = numpy.full(len(keys), -1)
        return attrs.evolve(
            self,
            start=start,
            end=start + step_ns,
            lane=keys // widest % lanes,
            name=keys % widest,
            calls=total(self.calls[pieces.row] * begins),
            errors=total(self.errors[pieces.row] * begins),
            longest=longest,
            segment=none,
            row=none,
            **{
                each: total(pieces.amount(getattr(self, each), self.start, self.end))
                for each in _AMOUNTS
            },
        )


def _distinct(key: Any) -> tuple[Any, Any]:
    """Return the distinct numbers in order, and the place of each number among them."""
    numpy = load("numpy")
    size = int(key.max(initial=0)) + 1
    if size > max(4 * len(key), 1 << 16):
        keys, place = numpy.unique(key, return_inverse=True)
        return keys, place
    # Numbers that are close together need not be sorted.
    is_used = numpy.zeros(size, bool)
    is_used[key] = True
    keys = numpy.flatnonzero(is_used)
    places = numpy.cumsum(is_used) - 1
    return keys, places[key]
