"""
The timeline of a log: an estimate of what each thread did in each interval.

The time of a line is when its call began, and its duration tells when it ended.  Short calls are
counted in the interval in which they begin; longer ones are spread.  A call that waited is taken to
have worked last.  What is left between the first and the last call of a thread is its own code.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import attrs

from syswatch.model.threads import ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, FINE_S, Timeline
from syswatch.model.times import SECOND_NS
from syswatch.model.window import HISTORY_S

from .estimated_waits import estimated_wait, may_wait
from .line_format import (
    DURATION,
    FRACTION,
    PID,
    RESUMED,
    SECOND,
    Counted,
    Row,
    number,
    second_of,
)
from .log_clock import fraction_ns, nanoseconds

_NS_IN_MS = 1_000_000
_COARSE_NS = COARSE_MS * _NS_IN_MS
_MOST_FINE = FINE_S * COARSE_MS // FINE_MS
# A call that is shorter than this share of an interval is not split between two.
_SHORT = 100
_MOST_CELLS = 20_000
# The digits of a second that tell the fine interval.
_FINE_DIGITS = 2
# A call that is not longer has not waited, and is short for every interval.  Texts are compared: it
# does not matter which is taken for longer if they have different numbers of digits.
_BRIEF = b"0.000050"


def is_brief(duration: bytes) -> bool:
    """Return whether a call is so short that all like it are added at once."""
    return b"" < duration <= _BRIEF


def _brief_by_second(
    counted: Mapping[Counted, int],
) -> Mapping[tuple[bytes, bytes, bytes, bytes], int]:
    brief: dict[tuple[bytes, bytes, bytes, bytes], int] = defaultdict(int)
    for (digits, second, _, resumed, _, duration), times in counted.items():
        if is_brief(duration) and not resumed:
            brief[digits, second, b"", duration] += times
    return brief


class _Cell:
    """The time of one thread in one interval."""

    __slots__ = ("passed_ns", "waiting", "working_ns")

    def __init__(self) -> None:
        # From its first to its last call, in calls or not.
        self.passed_ns = 0
        self.working_ns = 0
        self.waiting: dict[Wait, int] = {}

    def freeze(self) -> ThreadTimes:
        in_calls_ns = self.working_ns + sum(self.waiting.values())
        return ThreadTimes(
            user_ns=max(self.passed_ns - in_calls_ns, 0),
            working_ns=self.working_ns,
            waiting=self.waiting,
        )


@attrs.define
class LogTimeline:
    """
    Adds up the times of calls by interval and thread.

    Intervals are fine until the times extend over `FINE_S`.  `origin_s` is that of times of day.
    """

    origin_s: int = 0
    # The first and the last interval of all times.
    _first: int | None = attrs.field(default=None, init=False)
    _last: int = attrs.field(default=0, init=False)
    _bin_ns: int = attrs.field(default=FINE_MS * _NS_IN_MS, init=False)
    _cells: dict[tuple[int, int], _Cell] = attrs.field(
        factory=lambda: defaultdict(_Cell), init=False
    )
    # What was added before the intervals became coarse.
    _fine: Timeline = attrs.field(factory=Timeline, init=False)

    @property
    def is_crowded(self) -> bool:
        """Return whether there is so much that it should be taken early."""
        return len(self._cells) > _MOST_CELLS

    def add_brief(
        self, rows: Sequence[Row], counted: Mapping[Counted, int], fallback_pid: int
    ) -> None:
        """Add those of some calls that are brief; they are also given as they were counted."""
        brief: Mapping[tuple[bytes, bytes, bytes, bytes], int]
        if self._bin_ns == _COARSE_NS:
            brief = _brief_by_second(counted)
        else:
            brief = Counter(
                [
                    (row[PID], row[SECOND], row[FRACTION][:_FINE_DIGITS], row[DURATION])
                    for row in rows
                    if is_brief(row[DURATION]) and not row[RESUMED]
                ]
            )
        for (digits, text, fraction, duration), times in brief.items():
            second = second_of(text, self.origin_s)
            if second is not None:
                begin_ns = second * SECOND_NS + fraction_ns(fraction)
                pid = number(digits) or fallback_pid
                self.add_short(pid, begin_ns, nanoseconds(duration) * times)

    def add_rows(self, pid: int, found: int, name: str, rows: Sequence[Row], only: str) -> None:
        """
        Add calls of one name on one object; `only` selects them by their result.

        Brief ones are left out, except those that were joined.
        """
        waits = may_wait(name)
        for _, date, fraction, _, resumed, _, _, _, _, _, errno, duration, *_ in rows:
            # As in `is_brief`, which would take longer.
            if not duration or (duration <= _BRIEF and not resumed):
                continue
            if only and bool(errno) != (only == "failed"):
                continue
            second = second_of(date, self.origin_s)
            if second is None:
                continue
            begin_ns = second * SECOND_NS + fraction_ns(fraction)
            duration_ns = nanoseconds(duration)
            if resumed:
                begin_ns = max(begin_ns - duration_ns, 0)
            waiting_ns = estimated_wait(name, duration_ns) if waits else 0
            if waiting_ns:
                wait = Wait(found, name)
                self._add_waiting(pid, wait, begin_ns, begin_ns + waiting_ns)
            self._add_working(pid, begin_ns + waiting_ns, duration_ns - waiting_ns)

    def add_passed(self, pid: int, begin_ns: int, end_ns: int) -> None:
        """Add time that has passed for a thread."""
        for at, spent_ns in self._parts(begin_ns, end_ns):
            self._cells[at, pid].passed_ns += spent_ns

    def take(self) -> Timeline:
        """Return everything since the last time."""
        fine, self._fine = self._fine, Timeline()
        return fine + self._frozen()

    def add_short(self, pid: int, begin_ns: int, spent_ns: int) -> None:
        """Add time in which a thread worked, to the interval in which that began."""
        if spent_ns:
            at, _ = self._intervals(begin_ns, begin_ns + 1)
            self._cells[at, pid].working_ns += spent_ns

    def _add_working(self, pid: int, begin_ns: int, spent_ns: int) -> None:
        if spent_ns * _SHORT < self._bin_ns:
            self.add_short(pid, begin_ns, spent_ns)
        else:
            for at, part_ns in self._parts(begin_ns, begin_ns + spent_ns):
                self._cells[at, pid].working_ns += part_ns

    def _add_waiting(self, pid: int, wait: Wait, begin_ns: int, end_ns: int) -> None:
        for at, spent_ns in self._parts(begin_ns, end_ns):
            waiting = self._cells[at, pid].waiting
            waiting[wait] = waiting.get(wait, 0) + spent_ns

    def _parts(self, begin_ns: int, end_ns: int) -> Sequence[tuple[int, int]]:
        """Return the intervals of a stretch of time, with how much of it is in each."""
        if begin_ns >= end_ns:
            return ()
        first, last = self._intervals(begin_ns, end_ns)
        if first == last:
            return ((first, end_ns - begin_ns),)
        bin_ns = self._bin_ns
        # No more is kept; a damaged line may have any duration.
        least = max(first + 1, last - HISTORY_S * SECOND_NS // bin_ns)
        whole = [(at, bin_ns) for at in range(least, last)]
        return [(first, (first + 1) * bin_ns - begin_ns), *whole, (last, end_ns - last * bin_ns)]

    def _intervals(self, begin_ns: int, end_ns: int) -> tuple[int, int]:
        """Return the first and the last interval; make all coarse if the times extend too far."""
        bin_ns = self._bin_ns
        first, last = begin_ns // bin_ns, (end_ns - 1) // bin_ns
        if self._first is None:
            self._first, self._last = first, last
        elif first < self._first or last > self._last:
            self._first, self._last = min(first, self._first), max(last, self._last)
        if bin_ns < _COARSE_NS and self._last - self._first >= _MOST_FINE:
            self._fine += self._frozen()
            self._bin_ns = _COARSE_NS
            return begin_ns // _COARSE_NS, (end_ns - 1) // _COARSE_NS
        return first, last

    def _frozen(self) -> Timeline:
        cells, self._cells = self._cells, defaultdict(_Cell)
        bins: dict[int, dict[int, ThreadTimes]] = defaultdict(dict)
        for (at, pid), cell in cells.items():
            bins[at][pid] = cell.freeze()
        return Timeline(dict(bins), self._bin_ns // _NS_IN_MS)
