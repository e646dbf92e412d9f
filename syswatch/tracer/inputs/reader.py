"""The job of reading logs, from the names of files to the last message."""

import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import attrs

from syswatch.codec.frames import Message
from syswatch.codec.recording import RecordingError, read
from syswatch.codec.untrusted import escape_texts
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, ReadLogs, Started
from syswatch.tracer.active_filters import wanted
from syswatch.tracer.collector import Collector
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.stracelog.clock import LogClock, first_midnight
from syswatch.tracer.stracelog.filter import LogFilter
from syswatch.tracer.stracelog.line_format import detect_format
from syswatch.tracer.stracelog.lines import LineBuffer
from syswatch.tracer.stracelog.log_parser import LogParser
from syswatch.tracer.stracelog.traced_program import traced_program
from syswatch.tracer.subject import redacted

from .combined import CombinedSources
from .input_file import InputFile, UnreadableError
from .parallel import WORTH_CUTTING, read_parts
from .recording_filter import RecordingFilter

FLUSH_S = 0.25
# All logs together are one source, whose size is known from the beginning.
_LOGS = ""
# strace -ff writes a file for each process, and its pid behind the name.
_PID_SUFFIX = re.compile(r"\.(\d{1,8})(?:\.gz)?$")
_NO_RECORD = (
    "{} holds no system call record: not written by strace, or only a table (strace -c; "
    "with -C there are records, too)"
)


class _StoppedError(Exception):
    """The service wants no more."""


@attrs.define
class InputReader:
    """Reads logs one after another and sends what they hold, until `must_stop`."""

    job: ReadLogs
    outbox: Outbox
    must_stop: Callable[[], bool]
    now: Callable[[], float] = time.monotonic
    _filter: LogFilter = attrs.field(init=False)
    _sources: CombinedSources = attrs.field(init=False)
    _unsent: Delta = attrs.field(factory=Delta, init=False)
    _records: int = attrs.field(default=0, init=False)
    _last_flush: float = attrs.field(default=0.0, init=False)

    def __attrs_post_init__(self) -> None:
        """Understand what is wanted; a FilterError says what cannot be understood."""
        self._filter = LogFilter(self.job.options)
        self._sources = CombinedSources(wanted(self.job.options, self._filter.redact))

    def run(self) -> None:
        """Read everything; whatever goes wrong, what was read before is sent."""
        try:
            self._read_all()
        except UnreadableError as error:
            self._finish(Failed(str(error), error.exit_status))
        except _StoppedError:
            self._finish(Ended())
        else:
            nothing = Failed(_NO_RECORD.format(", ".join(self.job.files)))
            self._finish(self._sources.ending if self._records else nothing)

    def _read_all(self) -> None:
        for source in map(InputFile.open, self.job.files):
            with source:
                if source.is_recording:
                    self._replay(source)
                else:
                    self._read_log(source)

    def _read_log(self, source: InputFile) -> None:
        if _LOGS not in self._sources:
            process = traced_program(source.head(), _pid_of(source.name))
            logs = Started(
                backend="strace log",
                process=redacted(process, self._filter.redact),
                total_bytes=_total(self.job.files),
            )
            self._sources.start(_LOGS, logs)
            self._sources.end(_LOGS, Ended())
            self.outbox.say(self._sources.started)
        self._condense(source)

    def _condense(self, source: InputFile) -> None:
        first, last = source.edges()
        parser = LogParser(
            Collector(per_process=self.job.options.per_process),
            filter=self._filter,
            clock=LogClock(first_midnight(first, last, source.modified_s)),
            fallback_pid=_pid_of(source.name),
        )
        if source.can_be_cut and (source.size or 0) >= WORTH_CUTTING and self.job.workers > 1:
            parser.line_format = detect_format(source.head())
        if parser.line_format is not None and parser.line_format.plain is not None:
            self._in_parts(source, parser)
        else:
            self._in_blocks(source, parser)

    def _in_parts(self, source: InputFile, parser: LogParser) -> None:
        with closing(read_parts(source, self.job.workers, parser)) as parts:
            for part, length in parts:
                self._add(parser.absorb(part))
                parser.advance(length)
                if self._flush_is_due() or parser.is_crowded:
                    self._add(parser.take())
                    self._flush_in_time()
        self._add(parser.take())

    def _in_blocks(self, source: InputFile, parser: LogParser) -> None:
        buffer = LineBuffer()
        try:
            for block, length in source.blocks(FLUSH_S):
                for piece in buffer.receive_data(block):
                    parser.feed_piece(piece)
                parser.advance(length)
                if self._flush_is_due() or parser.is_crowded:
                    self._add(parser.take())
                    self._flush_in_time()
        finally:
            for piece in buffer.close():
                parser.feed_piece(piece)
            self._add(parser.take())

    def _replay(self, source: InputFile) -> None:
        """Send what was recorded as if it happened now; it is condensed already."""
        recorded = RecordingFilter(source.name, self._filter)
        try:
            for message in read(block for block, _ in source.blocks(FLUSH_S)):
                self._replay_message(source.name, recorded, message and escape_texts(message))
                self._flush_in_time()
        except RecordingError as error:
            raise UnreadableError(f"{source.name}: {error}") from error

    def _replay_message(
        self, name: str, recorded: RecordingFilter, message: Message | None
    ) -> None:
        # Without a single call it is a recording nevertheless.
        self._records += message is not None
        match message:
            case Started():
                self._sources.start(name, recorded.started(message))
                self.outbox.say(self._sources.started)
            case Delta():
                self._add(recorded.delta(message))
            case Ended() | Failed():
                self._sources.end(name, message)

    def _add(self, delta: Delta) -> None:
        self._unsent += delta
        self._records += delta.reading.records + delta.reading.halves

    def _flush_is_due(self) -> bool:
        return self.now() - self._last_flush >= FLUSH_S

    def _flush_in_time(self) -> None:
        if self._flush_is_due():
            if self.must_stop():
                raise _StoppedError
            self.outbox.offer(self._unsent)
            self._unsent = Delta()
            self._last_flush = self.now()

    def _finish(self, message: Ended | Failed) -> None:
        self.outbox.offer(self._unsent)
        self.outbox.finish(message)


def _pid_of(name: str) -> int:
    suffix = _PID_SUFFIX.search(name)
    return int(suffix[1]) if suffix else 0


def _total(names: tuple[str, ...]) -> int | None:
    try:
        return sum(Path(name).stat().st_size for name in names)
    except OSError:  # Standard input, or a file whose own turn will explain it.
        return None
