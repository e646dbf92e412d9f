"""
Collects the calls of a log for the recorder, while they are counted.

The rows of plain lines become columns.  The object of a row is known when its group is counted, so
rows are kept until all of them have been counted.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import compress

import attrs

from syswatch.base.classes import define, frozen
from syswatch.base.text import escape_text
from syswatch.codec.log_calls import (
    LogCall,
    LogCalls,
    LogCodes,
    LogColumns,
    LogLife,
    LogLoss,
    LogNumbers,
    LogTexts,
    packed_numbers,
)
from syswatch.model.times import SECOND_NS

from .clones_in_progress import CLONES
from .grammar import LoggedCall, MissingCalls, ParsedLine, ThreadEnd
from .line_format import (
    ARGUMENTS,
    DURATION,
    ERRNO,
    FRACTION,
    HEXADECIMAL,
    NAME,
    PID,
    RESULT,
    RESUMED,
    SECOND,
    Row,
    name_of,
    number,
    second_of,
)
from .log_clock import fraction_ns, nanoseconds
from .log_filter import LogFilter
from .log_lives import EXECUTES, life_of_call, life_of_end
from .log_numbers import result_value
from .row_loops import loops, running

# Turns marks into those of all others.
_OTHERWISE = bytes([1, 0]).ljust(256)
# The calls that tell something about a process.
_TELLING = frozenset(name.encode() for name in (*CLONES, *EXECUTES))


def _call_of(row: Row) -> LoggedCall:
    """Return the call of a row."""
    return LoggedCall(
        pid=number(row[PID]),
        time=b"",
        name=name_of(row[NAME]),
        args=row[ARGUMENTS],
        ret=row[RESULT] or row[HEXADECIMAL],
        errno=row[ERRNO].decode(),
        duration_ns=nanoseconds(row[DURATION]) if row[DURATION] else None,
        returned=True,
    )


def _start_of(row: Row, origin_s: int) -> int | None:
    """Return when the call of a row began."""
    second = second_of(row[SECOND], origin_s)
    if second is None:
        return None
    time_ns = second * SECOND_NS + fraction_ns(row[FRACTION])
    # The time of a call that was joined is when it ended.
    passed_ns = nanoseconds(row[DURATION]) if row[RESUMED] and row[DURATION] else 0
    return max(time_ns - passed_ns, 0)


@frozen
class RecordedRows:
    """
    The rows of consecutive lines.

    `others` are the indexes of those that are not calls, and `joined` of those that were in halves.
    """

    rows: Sequence[Row]
    others: Sequence[int]
    joined: Sequence[int]
    origin_s: int
    first_line: int


@define
class RecordedCalls:
    """What will be recorded; `follows_objects` tells whether rows are noted with their objects."""

    filter: LogFilter
    fallback_pid: int
    follows_objects: bool
    # The objects of rows that have been counted.
    found: running.FoundObjects = attrs.field(factory=running.FoundObjects, init=False)
    _batches: list[RecordedRows] = attrs.field(factory=list, init=False)
    _columns: list[LogColumns] = attrs.field(factory=list, init=False)
    _calls: list[LogCall] = attrs.field(factory=list, init=False)
    _lives: list[LogLife] = attrs.field(factory=list, init=False)
    _losses: list[LogLoss] = attrs.field(factory=list, init=False)

    def add_rows(self, added: RecordedRows, *, are_counted: bool) -> None:
        """Add rows; `are_counted` tells whether these and all earlier ones have been counted."""
        self._batches.append(added)
        for index in loops.named(added.rows, _TELLING):
            row = added.rows[index]
            if not row[ERRNO]:
                start_ns = _start_of(row, added.origin_s)
                self._note_life(_call_of(row), start_ns, added.first_line + index)
        if are_counted:
            self.complete_rows()

    def note_line(
        self, line: ParsedLine, call: LoggedCall | None, at_ns: int | None, line_number: int
    ) -> None:
        """Note what a line tells about processes and losses; `call` is what it completes."""
        if isinstance(line, ThreadEnd):
            pid = line.pid or self.fallback_pid
            self._add_life(life_of_end(line, pid, at_ns, line_number))
        elif isinstance(line, MissingCalls):
            self._losses.append(LogLoss(line.pid, at_ns or 0, line.count))
        elif call is not None:
            passed_ns = 0 if line is call else call.duration_ns or 0
            start_ns = None if at_ns is None else max(at_ns - passed_ns, 0)
            self._note_life(call, start_ns, line_number)

    def _note_life(self, call: LoggedCall, start_ns: int | None, line_number: int) -> None:
        pid = call.pid or self.fallback_pid
        self._add_life(life_of_call(call, pid, start_ns, line_number, self.filter))

    def _add_life(self, life: LogLife | None) -> None:
        if life is not None:
            self._lives.append(life)

    def add_call(
        self, call: LoggedCall, start_ns: int | None, found: int, line_number: int
    ) -> None:
        """Add a call as it is shown, and when it began."""
        self._calls.append(
            LogCall(
                line_number,
                call.pid or self.fallback_pid,
                start_ns,
                call.duration_ns,
                call.name,
                escape_text(call.args),
                escape_text(call.ret),
                call.errno,
                call.returned,
                found,
            )
        )

    def add_part(self, part: LogCalls) -> None:
        """Add what the next part of the log has."""
        self._columns.extend(part.columns)
        self._calls.extend(part.calls)
        self._lives.extend(part.lives)
        self._losses.extend(part.losses)

    def complete_rows(self) -> None:
        """Turn rows into columns; all of them have been counted."""
        self._columns.extend(filter(None, map(self._columns_of, self._batches)))
        self._batches.clear()
        self.found.clear()

    def take(self) -> LogCalls:
        """Return the calls of all lines, or nothing if some lines are not complete yet."""
        if self._batches:
            return LogCalls()
        calls = LogCalls(
            tuple(self._columns),
            tuple(self._calls),
            tuple(self._lives),
            tuple(self._losses),
            self.follows_objects,
        )
        self._columns, self._calls, self._lives, self._losses = [], [], [], []
        return calls

    def _columns_of(self, batch: RecordedRows) -> LogColumns | None:
        rows = batch.rows
        skipped = sorted({*batch.others, *self.filter.rejected(rows)})
        if len(skipped) == len(rows):
            return None
        joined = set(batch.joined).difference(skipped)
        ends = _marks(
            len(rows) - len(skipped), (each - bisect_left(skipped, each) for each in joined)
        )
        if skipped:
            rows = list(compress(rows, _marks(len(rows), skipped).translate(_OTHERWISE)))
        numbers = self._numbers(rows)
        return LogColumns(
            first_line=batch.first_line,
            skipped=tuple(skipped),
            count=len(rows),
            origin_s=batch.origin_s,
            fallback_pid=self.fallback_pid,
            different_pids=tuple(
                number(each) or self.fallback_pid for each in numbers.pids.different
            ),
            numbers=numbers,
            arguments=self._arguments(rows),
            results=self._results(rows),
            ends=ends,
            objects=self.found.of(rows),
        )

    def _numbers(self, rows: Sequence[Row]) -> LogNumbers:
        pids, seconds, fractions, names, errnos, durations, results = loops.numbers_of(rows)
        if self.filter.redact:
            results = packed_numbers(map(result_value, map(self._result, rows)))
        return LogNumbers(
            LogCodes(*pids),
            LogCodes(*seconds),
            fractions,
            LogCodes(*names),
            LogCodes(*errnos),
            durations,
            results,
        )

    def _result(self, row: Row) -> bytes:
        # One of the two is empty.
        return self.filter.ret(row[RESULT] + row[HEXADECIMAL])

    def _results(self, rows: Sequence[Row]) -> LogTexts:
        if not self.filter.redact:
            return _texts_of(rows, RESULT, HEXADECIMAL)
        return LogTexts.of(map(self._result, rows))

    def _arguments(self, rows: Sequence[Row]) -> LogTexts:
        if self.filter.hides_nothing:
            return _texts_of(rows, ARGUMENTS)
        return LogTexts.of(self.filter.args(name_of(row[NAME]), row[ARGUMENTS]) for row in rows)


def _texts_of(rows: Sequence[Row], *fields: int) -> LogTexts:
    return LogTexts(*loops.texts_of(rows, *fields))


def _marks(count: int, indexes: Iterable[int]) -> bytes:
    """Return so many bytes, which are 1 at these indexes."""
    marks = bytearray(count)
    for index in indexes:
        marks[index] = 1
    return bytes(marks)
