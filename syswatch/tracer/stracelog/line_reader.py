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
        call = self.unfinished.feed(raw, line)
        if call is not None and isinstance(line, UnknownLine):
            # The rest of the line before, which has the time.
            line = call
        return ReadLine(line, call, is_deferred)

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
                self._note_fed(lines, index, fed, begun)
                fed = index + 1
                others[index] = self.read(lines[index], origin_s, first_number + index)
            index += 1
        halves.settle()
        self._note_fed(lines, len(lines), fed, begun)
        return ReadRows(begun, joined, others)

    def _note_fed(self, lines: Sequence[bytes], index: int, fed: int, begun: Sequence[int]) -> None:
        """Note the lines before an index that were not fed one by one, if there are any."""
        if begun and begun[-1] == index - 1:
            self.unfinished.note_half(parse_line(lines[index - 1]))
        elif index != fed:
            self.unfinished.note_calls()

    def _must_be_deferred(self, line: ParsedLine) -> bool:
        return isinstance(
            line, ResumedCall | ThreadEnd | UnknownLine
        ) and not self.unfinished.awaits(line)
