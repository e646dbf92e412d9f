"""Reads the lines of a log that are not plain calls, and joins the halves of calls."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from syswatch.base.classes import define, frozen

from .grammar import LoggedCall, ParsedLine, ResumedCall, ThreadEnd, UnknownLine, parse_line
from .line_format import FindRows, Row, joined_line
from .log_part import DeferredLine
from .plain_halves import PlainHalves
from .unfinished_calls import UnfinishedCalls


class ReadLine(NamedTuple):
    """A line that was parsed, and the call that it is, or that it completes."""

    line: ParsedLine
    call: LoggedCall | None
    is_deferred: bool = False


@frozen
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


@define
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

    def read_rows(  # noqa: PLR0913  what is known of the rows
        self,
        rows: list[Row],
        lines: list[bytes],
        find: FindRows,
        size: int,
        origin_s: int,
        first_number: int,
    ) -> ReadRows:
        """
        Read consecutive lines of up to so many bytes, of which the first has this number.

        The row and the line of a plain second half are replaced by those of the whole call.
        """
        begun: list[int] = []
        joined: list[int] = []
        others: dict[int, ReadLine] = {}
        # The index after the last line that was fed to the unfinished calls.
        index = fed = 0
        halves = PlainHalves(self.unfinished, self.unfinished.has_room(len(lines), size))
        texts, usable = halves.texts, halves.usable
        while True:
            index = find.join(rows, lines, index, texts, usable, begun, joined)
            if index == len(rows):
                break
            digits, _, _, _, resumed, _, _, _, _, _, _, _, text = rows[index]
            if text:
                halves.begin(digits, text)
                begun.append(index)
            elif resumed and (first := halves.resume(digits, resumed)):
                lines[index] = joined_line(lines[index], resumed, first)
                rows[index] = find.joined(lines[index])
                joined.append(index)
            else:
                halves.settle()
                if index != fed or resumed:
                    self.unfinished.note_calls()
                fed = index + 1
                others[index] = self.read(lines[index], origin_s, first_number + index)
            index += 1
        halves.settle()
        if fed != len(rows):
            self.unfinished.note_calls()
        return ReadRows(begun, joined, others)

    def _must_be_deferred(self, line: ParsedLine) -> bool:
        return isinstance(
            line, ResumedCall | ThreadEnd | UnknownLine
        ) and not self.unfinished.awaits(line)
