"""What the recording is, how long it lasts, and what is missing from it."""

from syswatch.recording.questions import STATE, Nothing, State

from .request import Reader, Request


def _state(reader: Reader, _: Nothing) -> State:
    recording = reader.recording
    return State(recording.about, reader.folder.last_ns(), recording.notes)


REQUEST = Request(STATE, _state)
