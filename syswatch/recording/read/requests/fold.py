"""The sums of a range of time."""

from syswatch.model.delta import Delta
from syswatch.recording.questions import FOLD, Range

from .request import Reader, Request


def _fold(reader: Reader, question: Range) -> Delta:
    return reader.folder.fold(question.first_ns, question.last_ns, per_process=question.per_process)


REQUEST = Request(FOLD, _fold)
