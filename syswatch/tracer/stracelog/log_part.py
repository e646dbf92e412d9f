"""The result of parsing one part of a large log."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import frozen
from syswatch.codec.log_calls import LogCalls
from syswatch.model.delta import Delta

from .calls_cut_short import Half
from .samples import Samples
from .unfinished_calls import UnfinishedCalls

if TYPE_CHECKING:
    # It imports what is not needed without objects.
    from .part_names import PartNames


@frozen
class DeferredLine:
    """A line that can only be parsed together with the parts before it."""

    line: bytes
    origin_s: int
    line_number: int


@frozen
class LogPart:
    """The counts of a part, and what depends on the parts before and after it."""

    delta: Delta
    samples: Samples
    deferred: tuple[DeferredLine, ...]
    unfinished: UnfinishedCalls
    ended: tuple[int, ...]
    first_of_day_s: int | None
    last_of_day_s: int | None
    midnights_s: int
    # The first and the last time of each thread, in nanoseconds.
    times: Mapping[int, tuple[int, int]] = attrs.field(factory=dict)
    # The newest first half of each thread, and when it was written.
    halves: Mapping[int, Half] = attrs.field(factory=dict)
    names: "PartNames | None" = None
    recorded: LogCalls = attrs.field(factory=LogCalls)
