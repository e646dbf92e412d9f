"""
Calls of a log that never returned, because their threads ended in them.

strace writes `= ?` when the thread dies, or nothing but the first half, and no duration: how long
such a call took is the time from its first line to that.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.times import LONGEST_NS, SECOND_NS

from .grammar import LoggedCall, UnfinishedCall, unreturned
from .line_format import BEGUN, FRACTION, PID, SECOND, Row, name_of, number, second_of
from .log_clock import duration_text, fraction_ns, split_time

# Their time is that of the end of the thread, which may be much later than their own: strace
# reports the end of a first thread when the others have ended, too.
_EXITS = frozenset({"exit", "exit_group"})
# A damaged log may have any number of first halves, of any length.
_MOST_HALVES = 20_000
_LONGEST_HALF = 5000


class Half(NamedTuple):
    """
    The beginning of a call: the name, the parenthesis and its arguments, and when it began.

    A whole line without a result is such a beginning, too: it is also fed as a call.
    """

    began_ns: int
    text: bytes
    is_whole_line: bool = False

    def call(self, pid: int) -> LoggedCall:
        """Return it as a call that has not returned."""
        name, _, args = self.text.partition(b"(")
        return unreturned(pid, name_of(name), args)


def row_of_time(name: str, end_ns: int, duration_ns: int) -> Row:
    """Return the row of a call, of which only the time is known."""
    second, fraction = split_time(end_ns)
    raw, duration = name.encode(), duration_text(min(duration_ns, LONGEST_NS))
    # The time of a second half is when it ended.
    return Row(b"", second, fraction, raw, raw, b"", b"", b"", b"", b"", b"", duration)


@define
class CallsCutShort:
    """Keeps the newest first half of each thread, whether its call has returned or not."""

    halves: dict[int, Half] = attrs.field(factory=dict, init=False)
    _next: dict[int, Half] = attrs.field(factory=dict, init=False)

    def begin_rows(
        self, rows: Sequence[Row], begun: Sequence[int], origin_s: int, fallback_pid: int
    ) -> None:
        """Note the plain first halves among some rows, by their index."""
        for digits, index in {rows[index][PID]: index for index in begun}.items():
            row = rows[index]
            second = second_of(row[SECOND], origin_s)
            if second is not None:
                began_ns = second * SECOND_NS + fraction_ns(row[FRACTION])
                self._keep(number(digits) or fallback_pid, Half(began_ns, row[BEGUN]))

    def begin(self, pid: int, began_ns: int | None, line: UnfinishedCall | LoggedCall) -> None:
        """Note a first half, or a whole call without a result: its thread has to end yet."""
        if began_ns is not None:
            is_whole_line = isinstance(line, LoggedCall)
            args = line.args if isinstance(line, LoggedCall) else line.text
            self._keep(pid, Half(began_ns, b"%s(%s" % (line.name.encode(), args), is_whole_line))

    def pending(self, pid: int, name: str) -> Half | None:
        """Return the newest first half of a thread if it is of a call of this name."""
        half = self.halves.get(pid)
        return half if half is not None and half.call(pid).name == name else None

    def ending(self, pid: int, end_ns: int | None, name: str = "") -> Half | None:
        """Return the beginning of the call, of this name, in which a thread ends, if known."""
        half = self._newest(pid, end_ns)
        if half is None:
            return None
        begun = half.call(pid).name
        return None if begun in _EXITS or name not in ("", begun) else half

    def begun_ns(self, pid: int, end_ns: int | None) -> int:
        """Return when the newest first half of a thread was written, 0 if there is none."""
        half = self._newest(pid, end_ns)
        return 0 if half is None else half.began_ns

    def forget(self, pid: int, end_ns: int | None) -> None:
        """Forget a thread that has ended."""
        self.halves.pop(pid, None)
        if end_ns is None or (pid in self._next and self._next[pid].began_ns < end_ns):
            self._next.pop(pid, None)

    def begin_part(self, halves: Mapping[int, Half], shift_ns: int) -> None:
        """
        Take the halves of the next part of the log, for the ends of threads in that part.

        They come apart from the order of their lines: a half may be that of the next thread with
        this ID.
        """
        self._next = {
            pid: half._replace(began_ns=half.began_ns + shift_ns) for pid, half in halves.items()
        }

    def end_part(self) -> None:
        """Note that the ends of threads in the part have come."""
        for pid, half in self._next.items():
            self._keep(pid, half)
        self._next = {}

    def _newest(self, pid: int, end_ns: int | None) -> Half | None:
        """Return the newest half of a thread before this time, if it is known."""
        for half in (self._next.get(pid), self.halves.get(pid)):
            if half is not None and end_ns is not None and half.began_ns < end_ns:
                return half
        return None

    def _keep(self, pid: int, half: Half) -> None:
        if len(half.text) > _LONGEST_HALF:
            self.halves.pop(pid, None)
            return
        before = self.halves.get(pid)
        if before is None and len(self.halves) >= _MOST_HALVES:
            self.halves.clear()
        # Lines that are not plain come before the plain ones around them.
        if before is None or before.began_ns <= half.began_ns:
            self.halves[pid] = half
