"""The job of reading inputs, from their names on the command line to the last message."""

import time
from collections.abc import Callable, Iterable, Sequence

import attrs

from syswatch.base.classes import define
from syswatch.machine.memory import keep_freed_memory
from syswatch.model.messages import Ended, Failed, ReadLogs
from syswatch.tracer.announcement import active_filters
from syswatch.tracer.errors import TraceError
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.stracelog.log_filter import LogFilter

from .input_file import InputError, InputFile
from .log_recording import LogRecording
from .remote import RemoteError, expanded, is_remote
from .sink import Sink, StoppedError
from .sources import source_of

_NO_CALLS = (
    "no system calls in {}: not a log of strace, or only its summary (strace -C writes both)"
)

# Of freed memory: the texts of the calls of a range, which are recorded.
_KEPT_BYTES = 64 << 20
# So many inputs that cannot be read are named.
_MOST_NAMED = 5


@define
class InputReader:
    """Reads inputs one after another and sends what they hold, until `must_stop`."""

    job: ReadLogs
    outbox: Outbox
    must_stop: Callable[[], bool]
    now: Callable[[], float] = time.monotonic
    # The pipe to the recorder, if calls are recorded.
    events: EventPipe | None = None
    _filter: LogFilter = attrs.field(init=False)
    _sink: Sink = attrs.field(init=False)
    _recording: LogRecording | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Parse the filters; raise FilterError if one is invalid."""
        self._filter = LogFilter(self.job.options)
        filters = active_filters(self.job.options, self._filter.redact)
        self._sink = Sink(self.outbox, self.must_stop, filters, self.now)
        if self.events is not None:
            self._recording = LogRecording(self.events)

    def run(self) -> None:
        """Read everything; if some inputs cannot be read, send what the others hold."""
        keep_freed_memory(_KEPT_BYTES)
        try:
            troubles = self._read()
        except StoppedError:
            self._sink.finish(Ended())
        except TraceError as error:
            self._sink.finish(Failed(str(error), error.exit_status))
        else:
            self._sink.finish(_failed(troubles) if troubles else self._end())
        if self._recording is not None:
            self._recording.finish()

    def _read(self) -> list[InputError]:
        """Read all inputs; return the errors of those that cannot be read, or not to the end."""
        names, troubles = self._named()
        if self.job.scheduler is not None:
            # Few runs need a cluster, and importing this takes most of a second.
            from syswatch.tracer.cluster.reading import read

            return troubles + read(attrs.evolve(self.job, files=names), self._sink)
        for name in names:
            try:
                with InputFile.open(name) as file:
                    source = source_of(file, self.job, self._filter, self._recording)
                    source.read_into(self._sink)
            except InputError as error:
                troubles.append(error)
        return troubles

    def _named(self) -> tuple[tuple[str, ...], list[InputError]]:
        """Return the names of all inputs; the command line has expanded patterns of local files."""
        names: list[str] = []
        troubles = []
        for name in self.job.files:
            try:
                names += expanded(name) if is_remote(name) else (name,)
            except RemoteError as error:
                troubles.append(InputError(f"{name}: {error.strerror}"))
        return tuple(names), troubles

    def _end(self) -> Ended | Failed:
        if self._sink.has_records:
            return self._sink.combined_end()
        return Failed(no_calls(self.job.files))


def _failed(troubles: Sequence[InputError]) -> Failed:
    """Return the end of a reading in which some inputs could not be read."""
    named = [str(each) for each in troubles[:_MOST_NAMED]]
    if rest := len(troubles) - len(named):
        named.append(f"{rest} more cannot be read")
    return Failed("; ".join(named), max(each.exit_status for each in troubles))


def no_calls(files: Iterable[str]) -> str:
    """Return what is said of logs without a call."""
    return _NO_CALLS.format(", ".join("standard input" if name == "-" else name for name in files))
