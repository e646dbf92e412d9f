"""Parses the lines of a log, or of one part of a large log, and counts its calls."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.codec.log_calls import LogCalls
from syswatch.model.delta import Delta
from syswatch.tracer.collector import Collector

from .grammar import time_of
from .last_line import as_begun
from .line_counter import LineCounter
from .line_format import (
    NAME,
    FindRows,
    LineFormat,
    Row,
    detect_format,
)
from .line_reader import LineReader, ReadRows
from .lines import Chunk, Overlong
from .log_clock import (
    LogClock,
    is_time_of_day,
    time_since_epoch,
    whole_seconds,
)
from .log_filter import LogFilter
from .log_part import DeferredLine, LogPart
from .process_lifetimes import ProcessLifetimes
from .recorded_calls import RecordedCalls, RecordedRows
from .row_counter import RowCounter
from .row_dates import days, first_and_last_dated
from .row_loops import loops
from .sample_buffer import SampleBuffer
from .samples import CallSample, LineBatch, LineSample

if TYPE_CHECKING:
    from .log_details import LogDetails
    from .log_evidence import LogEvidence

# The format is detected in the first lines, which may follow pages of the program's own output.
_DETECTION_LINES = 2000
# Deferred lines of one part; each of them is parsed twice.
_MOST_DEFERRED = 10_000


@define
class LogParser:
    """
    Counts the calls of a log.

    Lines without a PID belong to `fallback_pid`.  In a part of a log, `deferred` collects the
    lines that can only be interpreted together with the parts before it.
    """

    collector: Collector
    clock: LogClock = attrs.field(factory=LogClock)
    fallback_pid: int = 0
    line_format: LineFormat | None = None
    deferred: list[DeferredLine] | None = None
    filter: LogFilter = attrs.field(factory=LogFilter)
    # Whether calls are collected for the recorder.
    records: bool = False
    # Whether the times of the whole log are known to extend over more than fine intervals do.
    is_long: bool = False
    _line_number: int = attrs.field(default=0, init=False)
    # The time of the last line that has been taken or absorbed.
    _last_ns: int = attrs.field(default=0, init=False)
    # None before the format is known, and if every line must be parsed by itself.
    _find_rows: FindRows | None = attrs.field(default=None, init=False)
    _reader: LineReader = attrs.field(init=False)
    _lines: LineCounter = attrs.field(init=False)
    _lifetimes: ProcessLifetimes = attrs.field(init=False)
    _counter: RowCounter = attrs.field(init=False)
    _details: "LogDetails | None" = attrs.field(default=None, init=False)
    _recorded: RecordedCalls | None = attrs.field(default=None, init=False)
    _evidence: "LogEvidence | None" = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Start with empty samples."""
        self._lifetimes = ProcessLifetimes(
            self.collector, self.fallback_pid, self.filter.admits_everything
        )
        self._counter = RowCounter(self.collector, self.filter, self.fallback_pid)
        if self.records:
            self._recorded = RecordedCalls(
                self.filter, self.fallback_pid, follows_objects=self.filter.options.objects
            )
        if self.filter.options.objects:
            # Without objects, a small log takes less time than importing this.
            from .log_details import LogDetails

            self._details = LogDetails(
                self.filter,
                self.fallback_pid,
                is_part=self.deferred is not None,
                recorded=self._recorded,
                is_long=self.is_long,
            )
        if self.filter.options.profile:
            from .log_evidence import LogEvidence

            self._evidence = LogEvidence(self.filter.redact, self.fallback_pid)
        self._reader = LineReader(self.deferred)
        self._lines = LineCounter(
            self.collector,
            self.clock,
            self.filter,
            self._counter,
            self.fallback_pid,
            self._details,
            SampleBuffer(self.filter),
            self._recorded,
            self._evidence,
        )

    @property
    def is_crowded(self) -> bool:
        """Return whether so much was counted that it should be taken at once."""
        if self._details is not None and self._details.is_crowded:
            return True
        if self._evidence is not None and self._evidence.is_crowded:
            return True
        return self.collector.is_crowded or len(self.deferred or ()) > _MOST_DEFERRED

    def feed_piece(self, piece: Chunk | Overlong) -> None:
        """Parse what a line buffer yields."""
        if isinstance(piece, Chunk):
            self.feed(piece.lines)
        else:
            self._lines.samples.lines += 1
            self._lines.count_unparsed(piece.beginning)

    def feed_last(self, piece: Chunk | Overlong) -> None:
        """Parse a last line, which does not end with a newline."""
        self.feed_piece(Chunk(as_begun(piece.lines)) if isinstance(piece, Chunk) else piece)

    def feed(self, chunk: bytes) -> None:
        """Parse complete lines; the chunk does not end with a newline."""
        lines = chunk.split(b"\n")
        self._lines.samples.lines += len(lines)
        if self.line_format is None:
            self.line_format = detect_format(lines[:_DETECTION_LINES])
        if self._find_rows is None:
            self._find_rows = self._row_finder()
        if self.line_format is None or self._find_rows is None:
            for line in lines:
                self._feed_line(line)
                self._line_number += 1
            return
        if self._details is not None:
            self._details.expect(chunk)
        rows = self._find_rows.rows(chunk)
        for begin, end, origin_s in days(
            rows, lines, self.clock, in_rows=self.line_format.time_of_day
        ):
            part = rows[begin:end], lines[begin:end]
            self._feed_rows(*part, self._find_rows, len(chunk), origin_s)
            self._line_number += end - begin

    def _row_finder(self) -> FindRows | None:
        if self.line_format is None or self.filter.needs_arguments:
            return None
        return self.line_format.find_rows(objects=self._details is not None, arguments=self.records)

    def part(self) -> LogPart:
        """Return everything that was parsed, for the parser of the whole log to absorb."""
        clock = self.clock
        return LogPart(
            delta=self._lines.samples.sums_only(self._sums()),
            samples=self._lines.samples.samples(self._objects_by_line()),
            deferred=tuple(self.deferred or ()),
            unfinished=self._reader.unfinished,
            ended=tuple(self._lifetimes.ended),
            first_of_day_s=clock.first_of_day_s,
            last_of_day_s=clock.last_of_day_s,
            midnights_s=clock.origin_s,
            times=self._details.times if self._details is not None else {},
            halves=self._details.halves if self._details is not None else {},
            names=self._details.names if self._details is not None else None,
            recorded=self.take_recorded(),
        )

    def absorb(self, part: LogPart) -> Delta:
        """Add the next part of the log; return its counts, moved to its date."""
        shift = 0
        if part.first_of_day_s is not None and part.last_of_day_s is not None:
            self.clock.advance_to(part.first_of_day_s)
            shift = self.clock.origin_s
            self.clock.origin_s += part.midnights_s
            self.clock.last_of_day_s = part.last_of_day_s
        if self._details is not None:
            self._details.begin_part(part, shift)
        parsed = [self._count_deferred(each, shift) for each in part.deferred]
        calls = [sample for sample in parsed if sample]
        if self._details is not None:
            part = self._details.add_part(part, shift)
        if self._recorded is not None:
            self._recorded.add_part(part.recorded.shifted(shift))
        self._lines.samples.add(part.samples.shifted(shift).with_calls(calls))
        self._reader.unfinished.add_part(part.unfinished)
        self._lines.samples.add_unparsed(part.delta.odd_lines)
        delta = attrs.evolve(part.delta, odd_lines=())
        delta = self._lifetimes.add_part(delta, part.ended).shifted(shift)
        if delta.span is not None:
            self._last_ns = max(self._last_ns, delta.span.last_ns)
        return delta

    def advance(self, length: int) -> None:
        """Add to the number of bytes that were read."""
        self._lines.samples.size += length

    def end_in_progress(self) -> None:
        """Count the calls in which threads are when the log has ended."""
        end_ns = max(self._last_ns, self._lines.samples.last_ns)
        for half in self._reader.unfinished.take():
            self._lines.count_unreturned(half, end_ns, self._line_number)

    def close(self) -> None:
        """Count what only a later line could have changed."""
        if self._evidence is not None:
            self._evidence.close()

    def take(self) -> Delta:
        """Return what was counted since the last time."""
        samples, self._lines.samples = self._lines.samples, SampleBuffer(self.filter)
        self._last_ns = max(self._last_ns, samples.last_ns)
        return samples.complete(self._sums(), self.fallback_pid, self._objects_by_line())

    def take_recorded(self) -> LogCalls:
        """Return the calls to record that have been counted."""
        return LogCalls() if self._recorded is None else self._recorded.take()

    def _objects_by_line(self) -> Mapping[int, int]:
        return {} if self._details is None else self._details.objects_by_line()

    def _sums(self) -> Delta:
        delta = self.collector.take()
        if self._details is not None:
            delta = self._details.add_to(delta)
        if self._evidence is not None:
            delta += self._evidence.take()
        if self._recorded is not None:
            self._recorded.complete_rows()
        return delta

    def _count_deferred(self, deferred: DeferredLine, shift: int) -> CallSample | None:
        raw, origin_s, number = deferred.line, deferred.origin_s + shift, deferred.line_number
        return self._lines.count(raw, self._reader.read(raw, origin_s, number), origin_s, number)

    def _feed_rows(
        self, rows: list[Row], lines: list[bytes], find: FindRows, size: int, origin_s: int
    ) -> None:
        read = self._reader.read_rows(rows, lines, find, size, origin_s, self._line_number)
        calls = loops.only_with(rows, NAME)
        self._lifetimes.begin_rows(rows, calls)
        others = self._feed_in_order(rows, lines, read, origin_s)
        self._lines.samples.records += len(calls) - len(read.joined)
        self._lines.samples.halves += read.halves
        for line in first_and_last_dated(rows, lines, read.others):
            self._lines.samples.note_time(time_since_epoch(time_of(line), origin_s))
        admitted = self.filter.admitted(calls)
        self._counter.count_rows(admitted, origin_s)
        if self._details is not None:
            self._details.note_brief(admitted)
        if self._recorded is not None:
            is_settled = self._details is None or self._details.is_settled
            indexes = (*read.begun, *read.others), read.joined
            added = RecordedRows(rows, *indexes, origin_s, self._line_number)
            self._recorded.add_rows(added, are_counted=is_settled)
        others = self.filter.rejected(rows) | dict.fromkeys(read.begun) | others
        batch = LineBatch(lines, others, origin_s, self._line_number)
        self._lines.samples.add_batch(batch, rows)

    def _feed_in_order(
        self, rows: Sequence[Row], lines: Sequence[bytes], read: ReadRows, origin_s: int
    ) -> dict[int, CallSample | LineSample | None]:
        """Count the lines in their order; return the calls of those that are not plain."""
        others: dict[int, CallSample | LineSample | None] = {}

        def feed(index: int) -> None:
            other = read.others[index]
            self._lifetimes.note_line(other.line, index)
            number = self._line_number + index
            others[index] = self._lines.count(lines[index], other, origin_s, number)

        if self._details is not None:
            begun, number = read.begun, self._line_number
            self._details.feed_rows(rows, lines, begun, origin_s, number, feed)
        else:
            for index in read.others:
                feed(index)
        return others

    def _feed_line(self, line: bytes) -> None:
        time = time_of(line)
        if is_time_of_day(time):
            self.clock.advance_to(whole_seconds(time))
        read = self._reader.read(line, self.clock.origin_s, self._line_number)
        self._lifetimes.note_line(read.line)
        if sample := self._lines.count(line, read, self.clock.origin_s, self._line_number):
            self._lines.samples.add_call(sample)
        if self._details is not None:
            self._details.count_if_due()
