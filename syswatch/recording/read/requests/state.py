"""What the recording is, how long it lasts, and what is missing from it."""

import attrs

from syswatch.recording.manifest import Manifest

from .request import Reader, Request


@attrs.frozen
class Nothing:
    """A question without parameters."""


@attrs.frozen
class State:
    """The manifest, the time of the last call or delta, and a sentence for each trouble."""

    about: Manifest
    last_ns: int
    notes: tuple[str, ...]


def _state(reader: Reader, _: Nothing) -> State:
    recording = reader.recording
    return State(recording.about, reader.folder.last_ns(), recording.notes)


REQUEST = Request("state", Nothing, State, _state)
