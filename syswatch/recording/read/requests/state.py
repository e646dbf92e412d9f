"""What the recording is, how long it lasts, and what is missing from it."""

from syswatch.recording.questions import STATE, Nothing, State

from .request import Reader, Request


def _state(reader: Reader, _: Nothing) -> State:
    recording = reader.recording
    last_ns = reader.folder.last_ns()
    complete = reader.folder.complete()
    return State(recording.about, last_ns, tuple(recording.damage()), *complete)


REQUEST = Request(STATE, _state)
