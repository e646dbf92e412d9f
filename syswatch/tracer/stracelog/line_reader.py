"""Reads the lines of a log that are not plain calls, and joins the halves of calls."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import attrs

from .grammar import LoggedCall, ParsedLine, ResumedCall, ThreadEnd, UnknownLine, parse_line
from .line_format import BEGUN, NAME, PID, RESUMED, Expression, Row, name_of, number
from .log_part import DeferredLine
from .unfinished_calls import UnfinishedCalls

_RESUMED: Final = b"<... %s resumed>"


class ReadLine(NamedTuple):
    """A line that was parsed, and the call that it is, or that it completes."""

    line: ParsedLine
    call: LoggedCall | None
    is_deferred: bool = False


@attrs.frozen
class ReadRows:
    """
    What is known of rows after their halves were joined.

    `others` has all lines that are neither plain calls nor plain halves of calls, by their index.
    """

    begun: Sequence[int]
    joined: Sequence[int]
    others: Mapping[int, ReadLine]

    @property
    def halves(self) -> int:
        """How many rows are halves of calls."""
        return len(self.begun) + len(self.joined)

    @property
    def undated(self) -> frozenset[int]:
        """The indexes of lines without a time, even if they begin like lines with one."""
        return frozenset(index for index, each in self.others.items() if not each.line.time)


@attrs.define
class LineReader:
    """
    Reads lines in their order, before they are counted.

    In a part of a log, `deferred` collects the lines that can only be interpreted together with the
    parts before it.
    """

    deferred: list[DeferredLine] | None
    unfinished: UnfinishedCalls = attrs.field(factory=UnfinishedCalls, init=False)

    def read(self, raw: bytes, origin_s: int, line_number: int) -> ReadLine:
        """Parse a line."""
        line = parse_line(raw)
        is_deferred = False
        if self.deferred is not None and self._must_be_deferred(line):
            self.deferred.append(DeferredLine(raw, origin_s, line_number))
            is_deferred = True
        return ReadLine(line, self.unfinished.feed(raw, line), is_deferred)

    def read_rows(
        self,
        rows: list[Row],
        lines: list[bytes],
        expression: Expression,
        origin_s: int,
        first_number: int,
    ) -> ReadRows:
        """
        Read consecutive lines, of which the first has this number.

        The row and the line of a plain second half are replaced by those of the whole call.
        """
        begun: list[int] = []
        joined: dict[int, bytes] = {}
        others: dict[int, ReadLine] = {}
        expected = 0
        for index in [at for at, row in enumerate(rows) if not row[NAME]]:
            if index != expected:
                self.unfinished.note_calls()
            expected = index + 1
            row = rows[index]
            if row[BEGUN]:
                self.unfinished.begin(number(row[PID]), row[BEGUN])
                begun.append(index)
            elif row[RESUMED] and (whole := self._whole(row, lines[index])):
                joined[index] = whole
            else:
                others[index] = self.read(lines[index], origin_s, first_number + index)
        if expected != len(rows):
            self.unfinished.note_calls()
        if joined:
            found = expression.joined.findall(b"\n".join(joined.values()))
            for (index, line), row in zip(joined.items(), found, strict=True):
                rows[index], lines[index] = row, line
        return ReadRows(begun, tuple(joined), others)

    def _whole(self, row: Row, line: bytes) -> bytes:
        """Return the line of a call with the second half on this line; nothing without a first."""
        name = row[RESUMED]
        first = self.unfinished.resume(number(row[PID]), name_of(name))
        if first is None:
            return b""
        before, _, after = line.partition(_RESUMED % name)
        return b"%s%s(%s%s" % (before, name, first.text, after)

    def _must_be_deferred(self, line: ParsedLine) -> bool:
        return isinstance(
            line, ResumedCall | ThreadEnd | UnknownLine
        ) and not self.unfinished.awaits(line)
