"""A kind of question with the function that answers it, and what it is answered from."""

from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

from syswatch.base.classes import frozen
from syswatch.codec.recording import RecordingError
from syswatch.recording.questions import Kind
from syswatch.recording.read.fold import Folder
from syswatch.recording.read.opening import Recording
from syswatch.recording.timeline.timeline import Timeline

Q = TypeVar("Q")
A = TypeVar("A")


class QuestionError(RecordingError):
    """A question has a mistake; the message is a clause for the user."""


@frozen(slots=False)
class Reader:
    """An open recording, and what is shared by all questions."""

    recording: Recording

    @cached_property
    def folder(self) -> Folder:
        """What adds up ranges of time."""
        return Folder(self.recording)

    @cached_property
    def timeline(self) -> Timeline:
        """What shows single calls, or sums over short intervals."""
        return Timeline(self.recording.folder, deltas=self.folder.deltas)


@frozen
class Request(Generic[Q, A]):
    """
    A kind of question and the function that answers it.

    The function may raise RecordingError, whose message is a clause for the user.
    """

    kind: Kind[Q, A]
    respond: Callable[[Reader, Q], A]
