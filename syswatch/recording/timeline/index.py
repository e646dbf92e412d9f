"""
What is held in memory of a whole recording: sums by interval, long calls, and where calls are.

The memory is bounded: when there are too many sums, the intervals become longer.
"""

import time
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import attrs

from syswatch.base.classes import define
from syswatch.codec.recording import RecordingError
from syswatch.recording import segments
from syswatch.recording.extra import load

from .bins import LONG_BINS, NEVER_NS, STEP_NS
from .lanes import LaneTotals
from .numbering import Numbering
from .rows import Rows
from .segment import SegmentReader

MOST_ROWS = 300_000
_COARSER = 10
_COARSEST_NS = 1000 * 10**9
# Parts are joined when there are so many.
_MOST_PARTS = 32
# An answer must not wait until a long recording has been read.
PATIENCE_S = 0.05


@define
class Index:
    """Reads the sums of all segments, a part of them at each call of `read_more`."""

    folder: Path
    most_rows: int
    numbering: Numbering = attrs.field(factory=Numbering, init=False)
    step_ns: int = attrs.field(default=STEP_NS, init=False)
    # When the trace ended, if it has.
    ended_ns: int | None = attrs.field(default=None, init=False)
    totals: LaneTotals = attrs.field(factory=LaneTotals, init=False)
    # The segments that could not be read, with the reasons.
    damaged: dict[int, str] = attrs.field(factory=dict, init=False)
    # When the calls of each segment began, and when those ended that are not in `long`.
    extents: dict[int, tuple[int, int]] = attrs.field(factory=dict, init=False)
    # Segments that are yet to be read.
    pending: list[int] = attrs.field(factory=list, init=False)
    long: Rows = attrs.field(factory=Rows.none, init=False)
    # How many segments a flight recorder has removed since they were read.
    removed: int = attrs.field(default=0, init=False)
    reader: SegmentReader = attrs.field(init=False)
    _parts: list[Rows] = attrs.field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare the reader."""
        self.reader = SegmentReader(self.folder, self.numbering)

    def read_more(self) -> None:
        """Read new segments, for a limited time but at least one."""
        deadline = time.monotonic() + PATIENCE_S
        known = self.extents.keys() | self.damaged.keys()
        found = segments.numbers_in(self.folder, segments.CALLS)
        self.pending = [number for number in found if number not in known]
        self._forget(self.extents.keys() - found)
        long = []
        while self.pending:
            number = self.pending.pop(0)
            try:
                long.append(self._add(number, self.reader.bins(number)))
            except RecordingError as error:
                self.leave_out(number, str(error))
            if time.monotonic() >= deadline:
                break
        if long:
            self.long = Rows.joined([self.long, *long])
        self._coarsen()

    def leave_out(self, number: int, reason: str) -> None:
        """Use a segment no more, because it is damaged, or a flight recorder has removed it."""
        if self.reader.has(number):
            self.damaged[number] = reason
        else:
            self._forget({number})

    def sums(self, from_ns: int, to_ns: int) -> Iterator[Rows]:
        """Yield the sums whose intervals are in a range of time, at least in part."""
        for part in self._parts:
            some = part.begun_in(from_ns - self.step_ns + 1, to_ns)
            if len(some):
                yield some

    def segments_in(self, from_ns: int, to_ns: int) -> list[int]:
        """Return the segments that may have calls in a range, apart from the long ones."""
        return [
            number
            for number, (begin, end) in self.extents.items()
            if begin < to_ns and end > from_ns
        ]

    def calls_in(self, from_ns: int, to_ns: int) -> int:
        """Return about how many calls began in a range."""
        numpy = load("numpy")
        found = 0.0
        for part in self.sums(from_ns, to_ns):
            within = numpy.minimum(part.end, to_ns) - numpy.maximum(part.start, from_ns)
            found += float((part.calls * (within / self.step_ns)).sum())
        return int(found)

    @property
    def span(self) -> tuple[int, int]:
        """When the first call began, and when the last one that has returned ended."""
        return self.totals.span

    @property
    def end_ns(self) -> int:
        """The end of the recording, as far as it is known: that of calls that have not returned."""
        return max(self.ended_ns or 0, self.span[1])

    def _forget(self, numbers: AbstractSet[int]) -> None:
        """Forget the calls of segments that were removed; their sums remain."""
        numpy = load("numpy")
        for number in numbers:
            self.removed += self.extents.pop(number, None) is not None
        if numbers:
            removed = numpy.array(sorted(numbers), "i8")
            self.long = self.long.where(~numpy.isin(self.long.segment, removed))

    def _add(self, number: int, rows: Rows) -> Rows:
        """Add the sums of a segment, and return its long calls."""
        numpy = load("numpy")
        is_long = rows.end - rows.start >= LONG_BINS * STEP_NS
        short, long = rows.where(~is_long), rows.where(is_long)
        self.extents[number] = (
            int(rows.start.min(initial=NEVER_NS)),
            int(short.end.max(initial=0)),
        )
        self.totals.add(rows)
        if self.step_ns > STEP_NS:
            keep = long.end - long.start >= LONG_BINS * self.step_ns
            short = self._coarser(Rows.mixed([short, self._merged(long.where(~keep))]))
            long = long.where(keep)
        self._parts.append(_unnumbered(short))
        if len(self._parts) > _MOST_PARTS:
            self._parts = [Rows.joined(self._parts)]
        return long if len(long) else long.where(numpy.zeros(0, "i8"))

    def _coarsen(self) -> None:
        """Make the intervals longer until there are few enough."""
        while sum(map(len, self._parts)) + len(self.long) > self.most_rows:
            if self.step_ns >= _COARSEST_NS:
                return
            self.step_ns *= _COARSER
            keep = self.long.end - self.long.start >= LONG_BINS * self.step_ns
            merged = self._merged(self.long.where(~keep))
            self._parts = [self._coarser(Rows.mixed([*self._parts, merged]))]
            self.long = self.long.where(keep)

    def _coarser(self, rows: Rows) -> Rows:
        return rows.summed(self.step_ns, 0, NEVER_NS)

    def _merged(self, long: Rows) -> Rows:
        """Take calls out of the long ones: their segments are then found by their extents."""
        for number, end in zip(long.segment.tolist(), long.end.tolist(), strict=True):
            begin, latest = self.extents[number]
            self.extents[number] = begin, max(latest, end)
        return _unnumbered(long)


def _unnumbered(rows: Rows) -> Rows:
    """Return rows of which none is a single call."""
    none: Any = load("numpy").full(len(rows), -1)
    return attrs.evolve(rows, segment=none, row=none)
