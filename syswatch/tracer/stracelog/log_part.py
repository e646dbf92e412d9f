"""What is counted in a part of a large log, on its way to the parser of the whole log."""

import attrs

from syswatch.model.delta import Delta

from .samples import Samples
from .unfinished_calls import UnfinishedCalls


@attrs.frozen
class DeferredLine:
    """A line that makes sense only together with the parts before; what it counts from; where."""

    line: bytes
    origin_s: int
    place: int


@attrs.frozen
class LogPart:
    """What was counted in a part of a log, and what it needs from the parts before it."""

    delta: Delta
    newest: Samples
    deferred: tuple[DeferredLine, ...]
    unfinished: UnfinishedCalls
    ended: tuple[int, ...]
    first_of_day_s: int | None
    last_of_day_s: int | None
    midnights_s: int
