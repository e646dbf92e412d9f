"""Condenses the lines of one log, or of one part of a large log, into deltas."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from syswatch.model.delta import Delta
from syswatch.model.times import SECOND_NS
from syswatch.tracer.collector import Collector

from .clock import (
    LogClock,
    is_relative,
    is_time_of_day,
    nanoseconds,
    time_since_epoch,
    whole_seconds,
)
from .filter import LogFilter
from .grammar import (
    OPENS,
    LoggedCall,
    OtherLine,
    ParsedLine,
    ResumedCall,
    ThreadEnd,
    UnknownLine,
    opened_path,
    parse_line,
    time_of,
)
from .line_format import (
    LineFormat,
    Row,
    dated_edges,
    detect_format,
    number,
    second_of,
    times_of_day,
    word,
)
from .lines import Chunk, Overlong
from .log_part import DeferredLine, LogPart
from .process_lifetimes import ProcessLifetimes
from .sample_buffer import SampleBuffer
from .samples import CallSample, LineBatch, LineSample
from .strings import path_text
from .unfinished_calls import UnfinishedCalls

# Few lines decide the line_format of a log; pages of a program's own output may stand before them.
_SNIFFED_LINES = 2000
# The lines that a part keeps for those before it; each is parsed twice.
_MOST_CARRIED = 10_000


@attrs.define
class LogParser:
    """
    Counts the calls of a log.

    Lines without a pid belong to `fallback_pid`.  In a part of a log that is not its first,
    `deferred` takes the lines that make sense only together with the parts before it.
    """

    collector: Collector
    clock: LogClock = attrs.field(factory=LogClock)
    fallback_pid: int = 0
    line_format: LineFormat | None = None
    deferred: list[DeferredLine] | None = None
    filter: LogFilter = attrs.field(factory=LogFilter)
    unfinished: UnfinishedCalls = attrs.field(factory=UnfinishedCalls, init=False)
    _place: int = attrs.field(default=0, init=False)
    _samples: SampleBuffer = attrs.field(init=False)
    _lifetimes: ProcessLifetimes = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Keep nothing yet."""
        self._samples = SampleBuffer(self.filter)
        self._lifetimes = ProcessLifetimes(
            self.collector, self.fallback_pid, self.filter.admits_everything
        )

    @property
    def is_crowded(self) -> bool:
        """Return whether so much was counted that it should be taken before it is due."""
        return self.collector.is_crowded or len(self.deferred or ()) > _MOST_CARRIED

    def feed_piece(self, piece: Chunk | Overlong) -> None:
        """Count what a line buffer yields."""
        if isinstance(piece, Chunk):
            self.feed(piece.lines)
        else:
            self._samples.lines += 1
            self._not_understood(piece.beginning)

    def feed(self, chunk: bytes) -> None:
        """Count whole lines; the chunk has no newline at its end."""
        lines = chunk.split(b"\n")
        self._samples.lines += len(lines)
        if self.line_format is None:
            self.line_format = detect_format(lines[:_SNIFFED_LINES])
        if (
            self.line_format is None
            or self.line_format.plain is None
            or self.filter.needs_arguments
        ):
            for line in lines:
                self._feed_line(line)
                self._place += 1
            return
        rows = self.line_format.plain.findall(chunk)
        for begin, end, origin_s in self._days(rows, lines):
            self._feed_rows(rows[begin:end], lines[begin:end], origin_s)
            self._place += end - begin

    def part(self) -> LogPart:
        """Return everything, for the parser of the whole log to absorb."""
        clock = self.clock
        return LogPart(
            delta=self._samples.sums_only(self.collector.take()),
            newest=self._samples.newest(),
            deferred=tuple(self.deferred or ()),
            unfinished=self.unfinished,
            ended=tuple(self._lifetimes.ended),
            first_of_day_s=clock.first_of_day_s,
            last_of_day_s=clock.last_of_day_s,
            midnights_s=clock.origin_s,
        )

    def absorb(self, part: LogPart) -> Delta:
        """Take the next part of the log; return what it counted, moved to its date."""
        shift = 0
        if part.first_of_day_s is not None and part.last_of_day_s is not None:
            self.clock.advance_to(part.first_of_day_s)
            shift = self.clock.origin_s
            self.clock.origin_s += part.midnights_s
            self.clock.last_of_day_s = part.last_of_day_s
        ended = (
            self._take_in(each.line, parse_line(each.line), each.origin_s + shift, each.place)
            for each in part.deferred
        )
        calls = [kept for kept in ended if kept]
        self._samples.take_in(part.newest.shifted(shift).with_calls(calls))
        self.unfinished.follow(part.unfinished)
        self._samples.take_in_odd(part.delta.odd_lines)
        delta = attrs.evolve(part.delta, odd_lines=())
        return self._lifetimes.adopt(delta, part.ended).shifted(shift)

    def advance(self, length: int) -> None:
        """Note how far into its file the reading is."""
        self._samples.size += length

    def take(self) -> Delta:
        """Return what was counted since the last time."""
        samples, self._samples = self._samples, SampleBuffer(self.filter)
        return samples.complete(self.collector.take(), self.fallback_pid)

    def _days(self, rows: Sequence[Row], lines: Sequence[bytes]) -> Iterable[tuple[int, int, int]]:
        """Cut rows at midnight; yield where each day begins and ends, and what it counts from."""
        clock = self.clock
        in_rows = self.line_format is not None and self.line_format.time_of_day
        begin = 0
        for index, time in times_of_day(rows, lines, in_rows=in_rows):
            origin_s = clock.origin_s
            clock.advance_to(whole_seconds(time))
            if clock.origin_s != origin_s:
                yield begin, index, origin_s
                begin = index
        yield begin, len(rows), clock.origin_s

    def _feed_rows(self, rows: Sequence[Row], lines: Sequence[bytes], origin_s: int) -> None:
        unusual: dict[int, CallSample | LineSample | None] = {}
        expected = 0
        distinct = Counter(rows)
        self._lifetimes.announce(rows, distinct)
        for index, row in enumerate(rows):
            if row[2]:
                continue
            if index != expected:
                self.unfinished.interrupt()
            expected = index + 1
            line, place = lines[index], self._place + index
            half = self._resume(row, line, origin_s, place) if row[4] else None
            if half is None:
                parsed = parse_line(line)
                self._lifetimes.pass_line(parsed, index)
                unusual[index] = self._take_in(line, parsed, origin_s, place)
            else:
                self._lifetimes.pass_row(row)
                unusual[index] = half
        if expected != len(rows):
            self.unfinished.interrupt()
        self._samples.records += len(rows) - len(unusual)
        for line in dated_edges(rows, lines):
            self._samples.note_time(time_since_epoch(time_of(line), origin_s))
        self._count_rows(distinct, origin_s)
        kept = LineBatch(lines, self._unwanted(rows) | unusual, origin_s, self._place)
        self._samples.keep_newest(kept, rows)

    def _unwanted(self, rows: Sequence[Row]) -> dict[int, CallSample | LineSample | None]:
        if self.filter.admits_everything:
            return {}
        return {
            index: None
            for index, row in enumerate(rows)
            if row[2] and not self.filter.admits_row(row[2], row[5])
        }

    def _count_rows(self, rows: Mapping[Row, int], origin_s: int) -> None:
        everything = self.filter.admits_everything
        for row, times in rows.items():
            if row[2] and (everything or self.filter.admits_row(row[2], row[5])):
                self._count_row(row, row[2], origin_s, times)
                if row[3]:
                    self._count_path(row[3], times, failed=bool(row[5]))

    def _count_path(self, quoted: bytes, times: int = 1, *, failed: bool) -> None:
        if self.filter.options.read_arguments:
            path = self.filter.redact(path_text(quoted))
            self.collector.count_path(path, times, failed=failed)

    def _count_row(self, row: Row, name: bytes, origin_s: int, times: int = 1) -> None:
        pid, second, _, _, _, errno, duration = row
        self.collector.count(
            number(pid) or self.fallback_pid,
            word(name),
            word(errno),
            nanoseconds(duration) if duration else None,
            second_of(second, origin_s),
            times,
        )

    def _resume(self, row: Row, line: bytes, origin_s: int, place: int) -> LineSample | None:
        """Count the plain second half of a call, which is joined only if somebody will read it."""
        name = row[4]
        # The path of those that open is in the first half.
        if name in OPENS or not self.filter.admits_row(name, row[5]):
            return None
        first = self.unfinished.resume(number(row[0]), word(name))
        if first is None:
            return None
        self._samples.halves += 1
        self._count_row(row, name, origin_s)
        return LineSample(line, origin_s, place, first)

    def _feed_line(self, line: bytes) -> None:
        time = time_of(line)
        if is_time_of_day(time):
            self.clock.advance_to(whole_seconds(time))
        parsed = parse_line(line)
        self._lifetimes.pass_line(parsed)
        if kept := self._take_in(line, parsed, self.clock.origin_s, self._place):
            self._samples.keep(kept)

    def _take_in(
        self, raw: bytes, line: ParsedLine, origin_s: int, place: int
    ) -> CallSample | None:
        """Count a line; return the call that it is or completes."""
        if self._must_be_carried(line):
            self._carry(DeferredLine(raw, origin_s, place))
            self.unfinished.feed(raw, line)
            return None
        at = self._moment(line.time, origin_s)
        call = self.unfinished.feed(raw, line)
        match line:
            case LoggedCall():
                self._samples.records += 1
            case OtherLine() | ThreadEnd():
                self._samples.notes += 1
            case UnknownLine() | ResumedCall() if call is None:
                self._not_understood(raw)
            case _:
                self._samples.halves += 1
        if call is None or not self.filter.admits(call):
            return None
        self._count_call(call, at)
        return CallSample.of(self.filter.shown(call), at, place)

    def _not_understood(self, line: bytes) -> None:
        self._samples.odd(line)
        self.collector.note("unparsed_lines")

    def _moment(self, time: bytes, origin_s: int) -> int | None:
        if time and is_relative(time):
            at: int | None = self.clock.add_relative(time)
        else:
            at = time_since_epoch(time, origin_s)
        self._samples.note_time(at)
        return at

    def _count_call(self, call: LoggedCall, at: int | None) -> None:
        if not call.returned:
            return
        self.collector.count(
            call.pid or self.fallback_pid,
            call.name,
            call.errno,
            call.duration_ns,
            None if at is None else at // SECOND_NS,
        )
        if path := opened_path(call):
            self._count_path(path, failed=bool(call.errno))

    def _must_be_carried(self, line: ParsedLine) -> bool:
        return (
            self.deferred is not None
            and isinstance(line, ResumedCall | ThreadEnd | UnknownLine)
            and not self.unfinished.awaits(line)
        )

    def _carry(self, line: DeferredLine) -> None:
        if self.deferred is not None:
            self.deferred.append(line)
