"""A recording that is read without another process."""

from pathlib import Path
from typing import TypeVar

import attrs
from twisted.internet.defer import Deferred, fail, succeed

from syswatch.codec.recording import RecordingError
from syswatch.recording.questions import Kind
from syswatch.recording.read.opening import Recording
from syswatch.recording.read.requests import REQUESTS, Reader
from syswatch.recording.read.requests import QuestionError as Mistake
from syswatch.service.reader_process import QuestionError, ReaderError

Q = TypeVar("Q")
A = TypeVar("A")


@attrs.define
class DirectReader:
    """Answers questions at once, as the process that reads would."""

    reader: Reader

    @classmethod
    def of(cls, folder: Path) -> "DirectReader":
        """Return a reader of a recording."""
        return cls(Reader(Recording.open(folder)))

    @property
    def folder(self) -> str:
        """The directory of the recording."""
        return str(self.reader.recording.folder)

    def ask(self, kind: Kind[Q, A], question: Q) -> Deferred[A]:
        """Return the answer."""
        try:
            return succeed(REQUESTS[kind.name].respond(self.reader, question))
        except Mistake as error:
            return fail(QuestionError(str(error)))
        except RecordingError as error:
            return fail(ReaderError(str(error)))
