"""The totals of each thread of a recording."""

from typing import Any

import attrs

from syswatch.base.classes import define, frozen
from syswatch.recording.extra import load

from .bins import LONG_BINS, NEVER_NS, STEP_NS
from .rows import Rows


@frozen
class Longest:
    """The longest single call that has returned; if it began before the trace, what is known."""

    duration_ns: int
    start_ns: int
    lane: int
    name: int
    segment: int
    row: int


@define
class LaneTotals:
    """Arrays with an item for each lane."""

    calls: Any = attrs.field(default=None, init=False)
    errors: Any = attrs.field(default=None, init=False)
    first_ns: Any = attrs.field(default=None, init=False)
    last_ns: Any = attrs.field(default=None, init=False)
    longest: Longest | None = attrs.field(default=None, init=False)

    def add(self, rows: Rows) -> None:
        """Add the sums of a segment."""
        numpy = load("numpy")
        if not len(rows):
            return
        self._grow(int(rows.lane.max()) + 1)
        numpy.add.at(self.calls, rows.lane, rows.calls)
        numpy.add.at(self.errors, rows.lane, rows.errors)
        numpy.minimum.at(self.first_ns, rows.lane, rows.start)
        is_over = rows.end < NEVER_NS
        numpy.maximum.at(self.last_ns, rows.lane, numpy.where(is_over, rows.end, rows.start))
        # `longest` is 0 for a call that began before the trace.  A row of this length is one call.
        length = rows.end - rows.start
        lasted = numpy.where(is_over & (length >= LONG_BINS * STEP_NS), length, rows.longest)
        place = int(lasted.argmax())
        if lasted[place] > (self.longest.duration_ns if self.longest else 0):
            self.longest = Longest(
                int(lasted[place]),
                *(
                    int(getattr(rows, each)[place])
                    for each in ("start", "lane", "name", "segment", "row")
                ),
            )

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last moment of all lanes; the same moment if there are none."""
        if self.first_ns is None:
            return 0, 0
        return int(self.first_ns.min()), int(self.last_ns.max())

    def _grow(self, size: int) -> None:
        numpy = load("numpy")
        have = 0 if self.calls is None else len(self.calls)
        if size <= have:
            return
        initial = {"calls": 0, "errors": 0, "first_ns": NEVER_NS, "last_ns": 0}
        for name, value in initial.items():
            more = numpy.full(size - have, value)
            former = getattr(self, name)
            setattr(self, name, more if former is None else numpy.concatenate([former, more]))
