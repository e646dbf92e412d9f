"""What is counted in a part of a large log, on its way to the condenser of the whole log."""

import attrs

from syswatch.model.delta import Delta

from .joiner import Joiner
from .kept import Newest


@attrs.frozen
class Carried:
    """A line that makes sense only together with the parts before; what it counts from; where."""

    line: bytes
    origin_s: int
    place: int


@attrs.frozen
class Part:
    """What was counted in a part of a log, and what it needs from the parts before it."""

    delta: Delta
    newest: Newest
    carried: tuple[Carried, ...]
    joiner: Joiner
    ended: tuple[int, ...]
    first_of_day_s: int | None
    last_of_day_s: int | None
    midnights_s: int
