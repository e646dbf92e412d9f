"""The sums of a range of time."""

import attrs

from syswatch.model.delta import Delta
from syswatch.model.times import LONGEST_NS

from .request import Reader, Request


@attrs.frozen
class Range:
    """The range from `first_ns` up to, but not including, `last_ns`."""

    first_ns: int = 0
    last_ns: int = LONGEST_NS
    per_process: bool = False


def _fold(reader: Reader, question: Range) -> Delta:
    return reader.folder.fold(question.first_ns, question.last_ns, per_process=question.per_process)


REQUEST = Request("fold", Range, Delta, _fold)
