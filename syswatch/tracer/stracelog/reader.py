"""The job of reading logs, from the names of files to the last message."""

import re
import time
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path

import attrs

from syswatch.foreign import made_inert
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, ReadLogs, Started
from syswatch.tracer.collector import Collector
from syswatch.tracer.outbox import Outbox
from syswatch.wire import RECORDING_MAGIC, Decoder, Message, WireError

from .clock import LogClock, first_midnight
from .condenser import Condenser
from .dialect import sniff
from .lines import LineBuffer
from .parts import WORTH_CUTTING, read_parts
from .source import Source, UnreadableError
from .subject import subject

FLUSH_S = 0.25
# strace -ff writes a file for each process, and its pid behind the name.
_PID_SUFFIX = re.compile(r"\.(\d{1,8})(?:\.gz)?$")
_NO_RECORD = (
    "{} holds no system call record: not written by strace, or only a table (strace -c; "
    "with -C there are records, too)"
)


class _StoppedError(Exception):
    """The service wants no more."""


@attrs.define
class LogReader:
    """Reads logs one after another and sends what they hold, until `must_stop`."""

    job: ReadLogs
    outbox: Outbox
    must_stop: Callable[[], bool]
    now: Callable[[], float] = time.monotonic
    _unsent: Delta = attrs.field(factory=Delta, init=False)
    _records: int = attrs.field(default=0, init=False)
    _last_flush: float = attrs.field(default=0.0, init=False)

    def run(self) -> None:
        """Read everything; whatever goes wrong, what was read before is sent."""
        try:
            self._read_all()
        except UnreadableError as error:
            self._finish(Failed(str(error)))
        except _StoppedError:
            self._finish(Ended())
        else:
            nothing = Failed(_NO_RECORD.format(", ".join(self.job.files)))
            self._finish(Ended() if self._records else nothing)

    def _read_all(self) -> None:
        sources = map(Source.open, self.job.files)
        first = next(sources)
        if not first.is_recording:
            self.outbox.say(
                Started(
                    backend="strace log",
                    process=subject(first.head(), _pid_of(first.name)),
                    total_bytes=_total(self.job.files),
                )
            )
        for source in chain([first], sources):
            with source:
                if source.is_recording:
                    self._replay(source)
                else:
                    self._condense(source)

    def _condense(self, source: Source) -> None:
        first, last = source.edges()
        condenser = Condenser(
            Collector(per_process=self.job.per_process),
            clock=LogClock(first_midnight(first, last, source.modified_s)),
            fallback_pid=_pid_of(source.name),
        )
        if source.can_be_cut and (source.size or 0) >= WORTH_CUTTING and self.job.workers > 1:
            condenser.dialect = sniff(source.head())
        if condenser.dialect is not None and condenser.dialect.plain is not None:
            self._in_parts(source, condenser)
        else:
            self._in_blocks(source, condenser)

    def _in_parts(self, source: Source, condenser: Condenser) -> None:
        with closing(read_parts(source, self.job.workers, condenser)) as parts:
            for part, length in parts:
                self._add(condenser.absorb(part))
                condenser.advance(length)
                if self._flush_is_due():
                    self._add(condenser.take())
                    self._flush_in_time()
        self._add(condenser.take())

    def _in_blocks(self, source: Source, condenser: Condenser) -> None:
        buffer = LineBuffer()
        try:
            for block, length in source.blocks(FLUSH_S):
                for piece in buffer.receive_data(block):
                    condenser.feed_piece(piece)
                condenser.advance(length)
                if self._flush_is_due():
                    self._add(condenser.take())
                    self._flush_in_time()
        finally:
            for piece in buffer.close():
                condenser.feed_piece(piece)
            self._add(condenser.take())

    def _replay(self, source: Source) -> None:
        """Send what was recorded as if it happened now; it is condensed already."""
        decoder = Decoder()
        begun = False
        for block, _ in source.blocks(FLUSH_S):
            decoder.receive_data(block if begun else block.removeprefix(RECORDING_MAGIC))
            begun = True
            try:
                for message in decoder.events():
                    self._replay_message(made_inert(message))
            except WireError as error:
                raise UnreadableError(
                    f"{source.name}: the recording is damaged: {error}"
                ) from error
        if decoder.pending:
            raise UnreadableError(f"{source.name}: the recording ends within a message")

    def _replay_message(self, message: Message) -> None:
        match message:
            case Started():
                self.outbox.say(message)
            case Delta():
                self._add(message)
                self._records += 1
                self._flush_in_time()
            case Failed():
                raise UnreadableError(f"the recording ends with: {message.message}")

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
