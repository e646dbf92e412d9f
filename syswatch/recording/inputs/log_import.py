"""Makes a recording of a log, as `stats --record` does, without further processes."""

from collections.abc import Iterable
from pathlib import Path

import attrs

from syswatch.base.classes import define
from syswatch.codec import frames
from syswatch.codec.event_frames import EventDecoder, Life, Loss
from syswatch.codec.frames import Message
from syswatch.codec.log_calls import LogCalls
from syswatch.codec.recording import RecordingError
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, ReadLogs
from syswatch.recording.write.about import about_this_trace
from syswatch.recording.write.recorder import Recorder
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.tracer.inputs.input_reader import no_calls
from syswatch.tracer.inputs.log_recording import LogRecording
from syswatch.tracer.inputs.log_source import LogSource
from syswatch.tracer.inputs.sink import Sink
from syswatch.tracer.stracelog.log_filter import LogFilter


def import_log(file: InputFile, folder: Path) -> None:
    """
    Write the recording of a log, without its sums, which take most of the bytes.

    Raise RecordingError if it cannot be read to its end.
    """
    # In one process: where parts of a log meet, it is not known what was opened before, and a
    # worker of a cluster must find what this machine finds.
    job = ReadLogs((file.name,), workers=1)
    recorder = Recorder(folder, about_this_trace(), has_sums=False)
    recorder.begin()
    intake = _Intake(recorder)
    sink = Sink(intake, must_stop=lambda: False, filters="")
    recording = LogRecording(intake)
    try:
        LogSource(file, job, LogFilter(job.options), recording).read_into(sink)
    except InputError as error:
        raise RecordingError(str(error)) from error
    if not sink.has_records:
        raise RecordingError(no_calls(job.files))
    recording.finish()
    sink.finish(Ended())
    recorder.finish(Ended())


@define
class _Intake:
    """Passes on to a recorder what otherwise goes through the pipes of three processes."""

    recorder: Recorder
    _events: EventDecoder = attrs.field(factory=EventDecoder, init=False)

    def add_life(self, life: Life) -> None:
        """Take what is known of a process."""
        self.recorder.receive_lives((life,))

    def add_losses(self, losses: Iterable[Loss]) -> None:
        """Take how many calls are missing."""
        self.recorder.receive_losses(losses)

    def send_at_once(self, frame: bytes) -> None:
        """Take the calls of some lines, or processes."""
        self._events.receive_data(frame)
        for each in self._events.frames():
            if isinstance(each, LogCalls):
                self.recorder.receive_log_calls(each)
            else:
                self.recorder.receive_lives(life for life in each if isinstance(life, Life))

    def send(self, message: Message) -> None:
        """Take the start."""
        self.recorder.receive_frame(frames.encode(message))

    def offer(self, delta: Delta) -> None:
        """Take a delta."""
        self.recorder.receive_frame(frames.encode(delta))

    def finish(self, message: Message | None = None) -> None:
        """Take the end of a sink; that of the calls says nothing."""
        if message is not None:
            self.recorder.receive_frame(frames.encode(message))
