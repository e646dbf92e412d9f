"""The times of threads by interval, in Python; `compiled_sums` has the same class."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from syswatch.model.times import SECOND_NS

from .chosen_rows import chosen
from .estimated_waits import LEAST_WAIT_NS, WORK_NS
from .line_format import DURATION, FRACTION, PID, RESUMED, SECOND, Row, number, second_of
from .log_clock import fraction_ns, nanoseconds

# A call that is shorter than this share of an interval is not split between two.
_SHORT = 100

# An object and the name of a call.
Wait = tuple[int, str]
# The number of the interval, the thread, how much time has passed for it, how long it worked, and
# how long it waited for what.
Cell = tuple[int, int, int, int, Mapping[Wait, int]]


class _Cell:
    """The time of one thread in one interval."""

    __slots__ = ("passed_ns", "waiting", "working_ns")

    def __init__(self) -> None:
        # From its first to its last call, in calls or not.
        self.passed_ns = self.working_ns = 0
        self.waiting: dict[Wait, int] = {}


class Intervals:
    """
    The times of threads by interval.

    Intervals are fine until there are too many, of all times together.
    """

    def __init__(
        self, *, fine_ns: int, coarse_ns: int, most_fine: int, history_ns: int, brief: bytes
    ) -> None:
        """Start with nothing."""
        self._bin_ns = fine_ns
        self._coarse_ns = coarse_ns
        self._most_fine = most_fine
        self._history_ns = history_ns
        self._brief = brief
        self._first: int | None = None
        self._last = 0
        self._cells: dict[tuple[int, int], _Cell] = defaultdict(_Cell)

    def __len__(self) -> int:
        """Return how many intervals of threads there are."""
        return len(self._cells)

    def add_brief(self, rows: Sequence[Row], origin_s: int, fallback_pid: int) -> None:
        """Add those of some calls that are brief, except those that were joined."""
        brief = Counter(
            [
                (row[PID], row[SECOND], row[FRACTION][:2], row[DURATION])
                for row in rows
                if b"" < row[DURATION] <= self._brief and not row[RESUMED]
            ]
        )
        for (digits, text, fraction, duration), times in brief.items():
            second = second_of(text, origin_s)
            if second is not None:
                begin_ns = second * SECOND_NS + fraction_ns(fraction)
                spent_ns = nanoseconds(duration) * times
                self.add_short(number(digits) or fallback_pid, begin_ns, spent_ns)

    def add_long(
        self, pid: int, wait: Wait | None, rows: Sequence[Row], only: int, origin_s: int
    ) -> None:
        """Add all other ones of some calls, which may have waited if `wait` is not None."""
        for row in chosen(rows, only):
            duration = row[DURATION]
            if not duration or (duration <= self._brief and not row[RESUMED]):
                continue
            second = second_of(row[SECOND], origin_s)
            if second is None:
                continue
            begin_ns = second * SECOND_NS + fraction_ns(row[FRACTION])
            duration_ns = nanoseconds(duration)
            if row[RESUMED]:
                begin_ns = max(begin_ns - duration_ns, 0)
            waiting_ns = 0
            if wait is not None and duration_ns > LEAST_WAIT_NS:
                waiting_ns = duration_ns - WORK_NS
                self._add_waiting(pid, wait, begin_ns, begin_ns + waiting_ns)
            self._add_working(pid, begin_ns + waiting_ns, duration_ns - waiting_ns)

    def add_passed(self, pid: int, begin_ns: int, end_ns: int) -> None:
        """Add time that has passed for a thread."""
        for at, spent_ns in self._parts(begin_ns, end_ns):
            self._cells[at, pid].passed_ns += spent_ns

    def add_short(self, pid: int, begin_ns: int, spent_ns: int) -> None:
        """Add time in which a thread worked, to the interval in which that began."""
        if spent_ns:
            at, _ = self._intervals(begin_ns, begin_ns + 1)
            self._cells[at, pid].working_ns += spent_ns

    def take(self) -> tuple[list[Cell], int]:
        """Return everything since the last time, and how long the intervals are."""
        cells, self._cells = self._cells, defaultdict(_Cell)
        return [
            (*key, each.passed_ns, each.working_ns, each.waiting) for key, each in cells.items()
        ], self._bin_ns

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
        least = max(first + 1, last - self._history_ns // bin_ns)
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
        if bin_ns < self._coarse_ns and self._last - self._first >= self._most_fine:
            self._widen()
            return begin_ns // self._coarse_ns, (end_ns - 1) // self._coarse_ns
        return first, last

    def _widen(self) -> None:
        """Make all intervals coarse."""
        factor, self._bin_ns = self._coarse_ns // self._bin_ns, self._coarse_ns
        fine, self._cells = self._cells, defaultdict(_Cell)
        for (at, pid), added in fine.items():
            cell = self._cells[at // factor, pid]
            cell.passed_ns += added.passed_ns
            cell.working_ns += added.working_ns
            for wait, waiting_ns in added.waiting.items():
                cell.waiting[wait] = cell.waiting.get(wait, 0) + waiting_ns
