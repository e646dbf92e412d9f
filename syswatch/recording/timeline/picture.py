"""What a range of time shows: sums for each column of pixels, or single calls where they fit."""

from collections.abc import Iterable
from typing import Any

import attrs

from syswatch.base.classes import frozen
from syswatch.codec.recording import RecordingError
from syswatch.recording.extra import load

from .bins import NEVER_NS, STEP_NS
from .cache import SegmentCache
from .index import Index
from .rows import Rows

# More would neither fit nor be told apart.
MOST_SLICES = 4000
# Of single calls and of sums, as many as can be added up at once.
_MOST_CALLS = 150_000
_MOST_SEGMENTS = 16
_MOST_CELLS = 40_000
_FACTORS = (1, 2, 5)


@frozen
class View:
    """What is looked at: a range of time, so many columns, and some lanes (None for all)."""

    from_ns: int
    to_ns: int
    width: int
    lanes: tuple[int, ...] | None = None

    def step_ns(self, threads: int) -> int:
        """Return the length of a column: a round number."""
        lanes = threads if self.lanes is None else len(self.lanes)
        columns = min(self.width, max(_MOST_CELLS // max(lanes, 1), 1))
        return _round_up(-(-(self.to_ns - self.from_ns) // columns))

    def aligned(self, step_ns: int) -> tuple[int, int]:
        """Return the range of the columns, which begin at multiples of their length."""
        return self.from_ns // step_ns * step_ns, -(-self.to_ns // step_ns) * step_ns

    def within(self, rows: Rows) -> Rows:
        """Return the rows of the lanes."""
        if self.lanes is None:
            return rows
        numpy = load("numpy")
        return rows.where(numpy.isin(rows.lane, numpy.array(self.lanes, "i8")))


@frozen
class Drawn:
    """What to draw: sums over columns, or single calls if there is no step."""

    rows: Rows
    step_ns: int = 0
    # Of single calls, which have not returned.
    unfinished: Any = None


@frozen
class Painter:
    """Makes pictures from what the index has, or from single segments."""

    index: Index
    cache: SegmentCache

    def drawn(self, view: View) -> Drawn:
        """Return what a view shows."""
        step_ns = view.step_ns(len(self.index.numbering.lanes))
        around = self.index.segments_in(*view.aligned(step_ns))
        if len(around) <= _MOST_SEGMENTS:
            if self.index.calls_in(*view.aligned(step_ns)) <= _MOST_CALLS:
                return self._of_calls(view, step_ns, around)
            step_ns = max(step_ns, STEP_NS)
            if step_ns < self.index.step_ns:
                around = self.index.segments_in(*view.aligned(step_ns))
                return self._summed(view, step_ns, self._bins_of(around))
        step_ns = max(step_ns, self.index.step_ns)
        sums = self.index.sums(*view.aligned(step_ns))
        return self._summed(view, step_ns, [*sums, self.index.long])

    def _of_calls(self, view: View, step_ns: int, around: list[int]) -> Drawn:
        parts = [*self._calls_of(around), self._long_elsewhere(around)]
        rows = Rows.joined(
            view.within(part.overlapping(view.from_ns, view.to_ns)) for part in parts
        )
        if len(rows) <= MOST_SLICES:
            return Drawn(self._closed(rows), unfinished=rows.end >= NEVER_NS)
        return self._summed(view, step_ns, parts)

    def _calls_of(self, around: Iterable[int]) -> list[Rows]:
        return [rows for number in around if (rows := self._try(self.cache.calls, number))]

    def _bins_of(self, around: list[int]) -> list[Rows]:
        parts = [rows for number in around if (rows := self._try(self.cache.bins, number))]
        return [*parts, self._long_elsewhere(around)]

    def _try(self, read: Any, number: int) -> Rows | None:
        """Return the rows of a segment, or None if it is not there any more, or damaged."""
        try:
            rows: Rows = read(number)
        except RecordingError as error:
            self.index.leave_out(number, str(error))
            return None
        return rows

    def _long_elsewhere(self, around: list[int]) -> Rows:
        """Return the long calls of other segments, which began before or end after these."""
        numpy = load("numpy")
        long = self.index.long
        return long.where(~numpy.isin(long.segment, numpy.array(around, "i8")))

    def _overlapping(self, view: View, rows: Rows) -> Rows:
        return self._closed(view.within(rows.overlapping(view.from_ns, view.to_ns)))

    def _closed(self, rows: Rows) -> Rows:
        """Let calls that have not returned wait until the end of the recording."""
        numpy = load("numpy")
        unfinished = rows.end >= NEVER_NS
        if not unfinished.any():
            return rows
        end = numpy.where(unfinished, numpy.maximum(self.index.end_ns, rows.start), rows.end)
        waiting = numpy.where(unfinished, end - rows.start, rows.waiting)
        return attrs.evolve(rows, end=end, waiting=waiting)

    def _summed(self, view: View, step_ns: int, parts: Iterable[Rows]) -> Drawn:
        """Return the sums over columns; those at the edges are whole."""
        numpy = load("numpy")
        from_ns, to_ns = view.aligned(step_ns)
        wide = attrs.evolve(view, from_ns=from_ns, to_ns=to_ns)
        rows = Rows.mixed(self._overlapping(wide, part) for part in parts)
        categories = numpy.array(self.index.numbering.categories or [0], "i8")
        return Drawn(
            rows.summed(step_ns, from_ns // step_ns, to_ns // step_ns, categories), step_ns
        )


def _round_up(length_ns: int) -> int:
    """Return the next length of 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for factor in _FACTORS:
            if factor * power >= length_ns:
                return factor * power
        power *= 10
