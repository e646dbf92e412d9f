"""Reads one log of strace: in one go, or a large one in parts on several CPUs."""

import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.model.backends import STRACE_LOG
from syswatch.model.messages import Ended, ReadLogs, Started
from syswatch.model.timeline import FINE_S
from syswatch.tracer.collector import Collector
from syswatch.tracer.stracelog.line_format import detect_format
from syswatch.tracer.stracelog.lines import LineBuffer
from syswatch.tracer.stracelog.log_clock import LogClock, first_midnight, seconds_between
from syswatch.tracer.stracelog.log_filter import LogFilter
from syswatch.tracer.stracelog.log_parser import LogParser
from syswatch.tracer.stracelog.sole_thread import SoleThread, has_pids, program_pid
from syswatch.tracer.stracelog.traced_program import traced_program
from syswatch.tracer.subject import redacted

from .compression import SUFFIXES
from .input_file import BLOCK, InputFile
from .log_lines import LogLines
from .log_recording import LogRecording
from .sink import SEND_INTERVAL_S, Sink

# So large a log is read in parts whatever is in it; a smaller one, such as that of a build, only if
# its processes are so short that hardly any descriptor is open where two parts meet.
LEAST_PARALLEL_BYTES = 32 * 1024 * 1024
LEAST_PARALLEL_BYTES_IF_SHORT = 5 * 1000 * 1000
# All logs are one source, whose size is known from the start.
ALL_LOGS = ""
# strace -ff writes a file for each process, with the PID as the suffix.
_PID_SUFFIX = re.compile(rf"\.(\d{{1,8}})(?:{SUFFIXES})?$")


@define
class LogSource:
    """A log of strace."""

    file: InputFile
    job: ReadLogs
    filter: LogFilter
    recording: LogRecording | None = None

    def read_into(self, sink: Sink) -> None:
        """Parse the log and send its sums."""
        if not sink.has_started(ALL_LOGS):
            sink.start(ALL_LOGS, self.start())
            sink.end(ALL_LOGS, Ended())
        if self.is_read_in_parts():
            self._read_in_parts(self.parser(), sink)
        else:
            self._read_in_blocks(self.parser(), sink)

    def is_read_in_parts(self) -> bool:
        """Return whether the log is divided."""
        found = detect_format(self._head) if self._is_worth_splitting() else None
        if found is None or found.leader is None:
            return False
        return found.leader.pid_first or self._has_fixed_pid()

    def _is_worth_splitting(self) -> bool:
        if self.job.options.profile:
            return False  # Which program a process runs is only known in the order of the log.
        if self.file.is_remote and self.job.scheduler is None:
            return False
        size = (self.file.size or 0) if self.file.is_seekable else 0
        if self.job.workers <= 1 or size < min(LEAST_PARALLEL_BYTES, LEAST_PARALLEL_BYTES_IF_SHORT):
            return False
        if size >= LEAST_PARALLEL_BYTES:
            return True
        from .parallel import has_short_processes

        return has_short_processes(self.file, self.job.workers)

    def _has_fixed_pid(self) -> bool:
        """Return whether all lines without a PID are those of the program."""
        if _pid_of(self.file.name):
            return True
        if self.file.is_remote:
            # To read it twice takes longer than to read it in one go.
            return not any(line.startswith(b"[pid ") for line in self._head)
        program = self._program_pid()
        lines, sole, begin = LineBuffer(), SoleThread(program), 0
        while sole.pid == program and (block := self.file.read_at(begin, BLOCK)):
            begin += len(block)
            for piece in lines.receive_data(block):
                sole.receive(piece)
        return sole.pid == program

    @cached_property
    def _head(self) -> Sequence[bytes]:
        """The first lines, which several questions are about."""
        return self.file.head()

    def _program_pid(self) -> int:
        return _pid_of(self.file.name) or program_pid(self._head)

    def start(self) -> Started:
        """Return the start of all logs, as far as this one tells."""
        process = traced_program(self._head, self._program_pid())
        return Started(
            backend=STRACE_LOG.name,
            process=redacted(process, self.filter.redact),
            total_bytes=total_bytes(self.job.files),
        )

    def parser(self) -> LogParser:
        """Return the parser of the whole log."""
        first, last = self.file.first_and_last_time()
        return LogParser(
            Collector(per_process=self.job.options.per_process),
            filter=self.filter,
            clock=LogClock(first_midnight(first, last, self.file.modified_s)),
            fallback_pid=self._program_pid(),
            line_format=detect_format(self._head),
            records=self.recording is not None,
            is_long=seconds_between(first, last) > FINE_S,
        )

    def _read_in_parts(self, parser: LogParser, sink: Sink) -> None:
        # Most logs are smaller, and do without all that this imports.
        from .parallel import read_parts

        try:
            with closing(read_parts(self.file, self.job.workers, parser)) as parts:
                for part, length in parts:
                    sink.add(parser.absorb(part))
                    parser.advance(length)
                    # First, so that the recorder can begin while the sums are sent.
                    self._record(parser)
                    _send_if_due(parser, sink)
            parser.end_in_progress()
        finally:
            self._end(parser, sink)

    def _read_in_blocks(self, parser: LogParser, sink: Sink) -> None:
        lines = self._lines(parser.fallback_pid)
        try:
            for block, length in self.file.blocks(SEND_INTERVAL_S):
                for piece in lines.receive_data(block):
                    parser.feed_piece(piece)
                parser.advance(length)
                _send_if_due(parser, sink)
                self._record(parser)
            for piece in lines.settle():
                parser.feed_piece(piece)
            for piece in lines.close():
                parser.feed_last(piece)
            parser.end_in_progress()
        finally:
            # If the reading has been stopped: calls may return in what has not been read.
            for piece in (*lines.settle(), *lines.close()):
                parser.feed_piece(piece)
            self._end(parser, sink)

    def _lines(self, program: int) -> LogLines:
        """Return what splits the log; each line of a file of `strace -ff` is of the same thread."""
        is_known = _pid_of(self.file.name) != 0 or has_pids(self._head)
        return LogLines(None if is_known else SoleThread(program))

    def _end(self, parser: LogParser, sink: Sink) -> None:
        parser.close()
        sink.add(parser.take())
        self._record(parser)

    def _record(self, parser: LogParser) -> None:
        if self.recording is not None:
            self.recording.send(escape_text(self.file.name), parser.take_recorded())


def _send_if_due(parser: LogParser, sink: Sink) -> None:
    if sink.is_due() or parser.is_crowded:
        sink.add(parser.take())
        sink.send_if_due()


def _pid_of(name: str) -> int:
    suffix = _PID_SUFFIX.search(name)
    return int(suffix[1]) if suffix else 0


def total_bytes(names: Iterable[str]) -> int | None:
    """Return the size of all files, or None if one of them has none."""
    try:
        return sum(Path(name).stat().st_size for name in names)
    except OSError:  # Standard input, or a file that is reported when it is opened.
        return None
