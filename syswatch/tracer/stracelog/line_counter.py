"""Counts the lines of a log that were parsed one by one."""

from typing import TYPE_CHECKING

from syswatch.base.classes import define
from syswatch.model.objects import NO_OBJECT
from syswatch.model.times import SECOND_NS
from syswatch.tracer.collector import Collector

from .grammar import (
    LoggedCall,
    MissingCalls,
    OtherLine,
    ParsedLine,
    ResumedCall,
    ThreadEnd,
    UnfinishedCall,
    UnknownLine,
    opened_path,
    unreturned,
)
from .line_reader import ReadLine
from .log_clock import LogClock, is_relative, time_since_epoch
from .log_filter import LogFilter
from .recorded_calls import RecordedCalls
from .row_counter import RowCounter
from .sample_buffer import SampleBuffer
from .samples import CallSample

if TYPE_CHECKING:
    from .log_details import LogDetails
    from .log_evidence import LogEvidence


@define
class LineCounter:
    """Counts lines that have been read, and each call that is complete."""

    collector: Collector
    clock: LogClock
    filter: LogFilter
    rows: RowCounter
    fallback_pid: int
    details: "LogDetails | None"
    samples: SampleBuffer
    recorded: RecordedCalls | None
    # None without `--profile`.
    evidence: "LogEvidence | None" = None

    def count(
        self, raw: bytes, read: ReadLine, origin_s: int, line_number: int
    ) -> CallSample | None:
        """Count a line; return the call that it is or that it completes."""
        line, call, is_deferred = read
        if is_deferred:
            return None
        at = self._time_of_line(line.time, origin_s)
        match line:
            case LoggedCall():
                self.samples.records += 1
            case MissingCalls():
                self.samples.notes += 1
                self.collector.note("lost_events", line.count)
            case OtherLine() | ThreadEnd():
                self.samples.notes += 1
            case UnknownLine() | ResumedCall() if call is None:
                self.count_unparsed(raw)
            case _:
                self.samples.halves += 1
        if self.details is not None:
            self.details.feed_line(line, at, line_number)
        if self.recorded is not None:
            self.recorded.note_line(line, call, at, line_number)
        if self.evidence is not None:
            self.evidence.note_line(line, at)
        return None if call is None else self._count_parsed(call, line, at, line_number)

    def _count_parsed(
        self, call: LoggedCall, line: ParsedLine, at: int | None, line_number: int
    ) -> CallSample | None:
        admitted = self.filter.admits(call)
        found = NO_OBJECT
        # The time of a second half is when the call ended.
        passed_ns = 0 if line is call else call.duration_ns or 0
        began_ns = None if at is None else max(at - passed_ns, 0)
        start_ns = began_ns
        if self.details is not None:
            if not call.returned:
                start_ns = self.details.start_of(call, began_ns)
            found = self.details.feed_call(call, began_ns, counted=admitted)
        if not admitted:
            return None
        self._count_call(call, at)
        if self.evidence is not None:
            self.evidence.add(call, began_ns)
        shown = self.filter.shown(call)
        if self.recorded is not None:
            self.recorded.add_call(shown, start_ns, found, line_number)
        sample = CallSample.of(shown, at, line_number, found)
        if self.details is not None:
            self.details.note_call(call, sample)
        return sample

    def count_unreturned(self, half: UnfinishedCall, end_ns: int, line_number: int) -> None:
        """Count the time of a call in which a thread was when the log ended, after its lines."""
        if self.details is not None:
            self.details.end_in_progress(half, end_ns, line_number)
        if self.evidence is not None:
            call = unreturned(half.pid or self.fallback_pid, half.name, half.text)
            if self.filter.admits(call):
                self.evidence.add(call, None)

    def count_unparsed(self, line: bytes) -> None:
        """Count a line that could not be parsed."""
        self.samples.add_unparsed_line(line)
        self.collector.note("unparsed_lines")

    def _time_of_line(self, time: bytes, origin_s: int) -> int | None:
        if time and is_relative(time):
            at: int | None = self.clock.add_relative(time)
        else:
            at = time_since_epoch(time, origin_s)
        self.samples.note_time(at)
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
            self.rows.count_path(path, failed=bool(call.errno))
