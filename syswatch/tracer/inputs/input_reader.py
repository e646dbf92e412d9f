"""The job of reading inputs, from their names on the command line to the last message."""

import time
from collections.abc import Callable, Iterable

import attrs

from syswatch.model.messages import Ended, Failed, ReadLogs
from syswatch.tracer.announcement import active_filters
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.stracelog.log_filter import LogFilter

from .input_file import InputError, InputFile
from .log_recording import LogRecording
from .log_source import LogSource
from .sink import DeltaSource, Sink, StoppedError

_NO_CALLS = (
    "no system calls in {}: not a log of strace, or only its summary (strace -C writes both)"
)

_NOT_OF_RECORDINGS = "{}: --record makes a recording of logs, and this is a recording"


@attrs.define
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
        """Read everything; on an error, send what was read before it."""
        try:
            for file in map(InputFile.open, self.job.files):
                with file:
                    self._source(file).read_into(self._sink)
        except InputError as error:
            self._sink.finish(Failed(str(error), error.exit_status))
        except StoppedError:
            self._sink.finish(Ended())
        else:
            self._sink.finish(self._end())
        if self._recording is not None:
            self._recording.finish()

    def _source(self, file: InputFile) -> DeltaSource:
        if file.is_recording:
            # Most inputs are logs, and a small one takes less time than importing this.
            from .recording_source import InapplicableOptionError, RecordingSource

            if self._recording is not None:
                raise InapplicableOptionError(_NOT_OF_RECORDINGS.format(file.name))
            return RecordingSource(file, self._filter)
        return LogSource(file, self.job, self._filter, self._recording)

    def _end(self) -> Ended | Failed:
        if self._sink.has_records:
            return self._sink.combined_end()
        return Failed(no_calls(self.job.files))


def no_calls(files: Iterable[str]) -> str:
    """Return what is said of logs without a call."""
    return _NO_CALLS.format(", ".join("standard input" if name == "-" else name for name in files))
