"""Reads the lines of a log that are not plain calls, and joins the halves of calls."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import attrs

from .grammar import LoggedCall, ParsedLine, ResumedCall, ThreadEnd, UnknownLine, parse_line
from .line_format import NAME, Expression, Row
from .log_part import DeferredLine
from .plain_halves import PlainHalves
from .unfinished_calls import UnfinishedCalls

# What precedes and follows the name in a second half.
_BEFORE_NAME: Final = len(b"<... ")
_AFTER_NAME: Final = b" resumed>"


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
        # The index after the last line that was fed to the unfinished calls.
        fed = 0
        halves = PlainHalves(self.unfinished, self.unfinished.has_room(lines))
        for index in [at for at, row in enumerate(rows) if not row[NAME]]:
            digits, _, _, _, resumed, _, _, _, _, _, _, _, text = rows[index]
            if text:
                halves.begin(digits, text)
                begun.append(index)
            elif resumed and (first := halves.resume(digits, resumed)):
                before, _, after = lines[index].partition(_AFTER_NAME)
                joined[index] = before[: -len(resumed) - _BEFORE_NAME] + first + after
            else:
                halves.settle()
                if index != fed or resumed:
                    self.unfinished.note_calls()
                fed = index + 1
                others[index] = self.read(lines[index], origin_s, first_number + index)
        halves.settle()
        if fed != len(rows):
            self.unfinished.note_calls()
        if joined:
            found = expression.joined.findall(b"\n".join(joined.values()))
            for (index, line), row in zip(joined.items(), found, strict=True):
                rows[index], lines[index] = row, line
        return ReadRows(begun, tuple(joined), others)

    def _must_be_deferred(self, line: ParsedLine) -> bool:
        return isinstance(
            line, ResumedCall | ThreadEnd | UnknownLine
        ) and not self.unfinished.awaits(line)
