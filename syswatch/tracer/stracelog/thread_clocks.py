"""The time that passed for each thread of a log, as far as its lines have times."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define

from .grammar import time_of
from .line_format import DURATION, NAME, RESUMED, Row, number
from .log_clock import nanoseconds, time_since_epoch
from .row_loops import loops


@define
class ThreadClocks:
    """
    Measures the time from the first call of each thread to the end of the last one.

    The time of a line is when its call began, or, of the second half of a call, when it ended.
    `passed` is called with each stretch of time that is added.  Nothing is added as long as no call
    has a duration: it is not known then which part of the time was spent in calls.
    """

    passed: Callable[[int, int, int], None]
    # The first and the last time of each thread.
    known: dict[int, tuple[int, int]] = attrs.field(factory=dict, init=False)
    _elapsed: dict[int, int] = attrs.field(factory=dict, init=False)
    _has_durations: bool = attrs.field(default=False, init=False)

    def note_rows(
        self, rows: Sequence[Row], lines: Sequence[bytes], origin_s: int, fallback_pid: int
    ) -> None:
        """Note the plain lines among some lines, if they have times."""
        self._has_durations = self._has_durations or bool(loops.with_field(rows, DURATION))
        for ends in loops.ends_by_pid(rows):
            for digits, index in ends.items():
                time_ns = time_since_epoch(time_of(lines[index]), origin_s)
                if time_ns is not None:
                    before_ns, after_ns = _around(rows[index])
                    begin_ns = max(time_ns - before_ns, 0)
                    spent_ns = time_ns - begin_ns + after_ns
                    self._note(number(digits) or fallback_pid, begin_ns, spent_ns)

    def note(self, pid: int, time_ns: int | None, duration_ns: int | None = None) -> None:
        """Note a call of a thread; the order does not matter."""
        self._has_durations = self._has_durations or duration_ns is not None
        if time_ns is not None:
            self._note(pid, time_ns, duration_ns or 0)

    def _note(self, pid: int, time_ns: int, duration_ns: int) -> None:
        end_ns = time_ns + duration_ns
        first_ns, last_ns = self.known.get(pid, (time_ns, time_ns))
        if time_ns < first_ns:
            self._add(pid, time_ns, first_ns)
        if end_ns > last_ns:
            self._add(pid, last_ns, end_ns)
        self.known[pid] = min(first_ns, time_ns), max(last_ns, end_ns)

    def end(self, pid: int) -> None:
        """Forget a thread that has ended: another one may get its ID."""
        self.known.pop(pid, None)

    def add_part(self, times: Mapping[int, tuple[int, int]], shift_ns: int) -> None:
        """
        Add the time between the lines so far and those of the next part of the log.

        The ends of threads in that part come afterwards.
        """
        self._has_durations = self._has_durations or bool(times)
        for pid, (first_ns, last_ns) in times.items():
            before = self.known.get(pid)
            if before is not None and first_ns + shift_ns > before[1]:
                self._add(pid, before[1], first_ns + shift_ns)
            begin_ns = before[0] if before is not None else first_ns + shift_ns
            self.known[pid] = begin_ns, last_ns + shift_ns

    def end_part(
        self, times: Mapping[int, tuple[int, int]], shift_ns: int, ended: AbstractSet[int]
    ) -> None:
        """Keep the times of threads of this part whose ID another one had that has ended."""
        for pid, (first_ns, last_ns) in times.items():
            if pid not in ended:
                self.known.setdefault(pid, (first_ns + shift_ns, last_ns + shift_ns))

    def _add(self, pid: int, begin_ns: int, end_ns: int) -> None:
        if self._has_durations:
            self._elapsed[pid] = self._elapsed.get(pid, 0) + end_ns - begin_ns
            self.passed(pid, begin_ns, end_ns)

    def has_passed(self, pid: int, time_ns: int) -> bool:
        """Return whether a call of a thread is known that has ended after a time."""
        return pid in self.known and self.known[pid][1] > time_ns

    @property
    def has_durations(self) -> bool:
        """Whether some call so far has a duration."""
        return self._has_durations

    @property
    def times(self) -> Mapping[int, tuple[int, int]]:
        """Return the first and the last time of each thread, for `add_part` of another one."""
        return dict(self.known) if self._has_durations else {}

    def take(self) -> Mapping[int, int]:
        """Return the time that has passed since the last time, by PID."""
        elapsed, self._elapsed = self._elapsed, {}
        return elapsed


def _around(row: Row) -> tuple[int, int]:
    """
    Return how much time a row has before the time of its line, and how much after it.

    The time of a call in two halves is that of its second half, when it ended; where its first half
    is not known, as in the line of a second half, it has none.
    """
    spent_ns = nanoseconds(row[DURATION]) if row[DURATION] and row[NAME] else 0
    return (spent_ns, 0) if row[RESUMED] else (0, spent_ns)
