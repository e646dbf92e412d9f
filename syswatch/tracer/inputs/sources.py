"""Which source reads an input."""

from syswatch.model.messages import ReadLogs
from syswatch.tracer.stracelog.log_filter import LogFilter

from .compression import why_unreadable
from .input_file import InputError, InputFile
from .log_recording import LogRecording
from .log_source import LogSource
from .sink import DeltaSource

_NOT_OF_RECORDINGS = "{}: --record makes a recording of logs, and this is a recording"


def source_of(
    file: InputFile, job: ReadLogs, chosen: LogFilter, recording: LogRecording | None = None
) -> DeltaSource:
    """Return the source of an input; `recording` takes the calls of a log."""
    if not file.is_recording:
        if reason := why_unreadable(file.peek()):
            raise InputError(f"{file.name}: {reason}")
        return LogSource(file, job, chosen, recording)
    # Most inputs are logs, and a small one takes less time than importing this.
    from .recording_source import InapplicableOptionError, RecordingSource

    if recording is not None:
        raise InapplicableOptionError(_NOT_OF_RECORDINGS.format(file.name))
    return RecordingSource(file, chosen)
