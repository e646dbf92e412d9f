"""What people prefer to see: it changes no number that is counted, only how views present it."""

import enum
from fnmatch import fnmatchcase
from typing import Self

from syswatch.base.classes import frozen

from .objects import ObjectInfo, ObjectKind


class ShareOf(enum.Enum):
    """What the shares of the time budget are parts of, with a description."""

    # All the time that threads existed.
    WALL = "wall", "wall time"
    # Without the time in which they waited for work.
    BUSY = "busy", "busy time"
    CALLS = "calls", "time in calls"

    def __new__(cls, value: str, _title: str) -> Self:
        """Make the first text the value."""
        member = object.__new__(cls)
        member._value_ = value
        return member

    def __init__(self, _value: str, title: str) -> None:
        self.title = title


@frozen
class WaitPattern:
    """
    Waits that people declared idle or blocked.

    An empty call, kind or name matches any; the name is a pattern as a shell has it.
    """

    is_idle: bool
    # As it was typed, for the reason that views show.
    text: str
    call: str = ""
    kind: ObjectKind | None = None
    name: str = ""

    def matches(self, call: str, info: ObjectInfo) -> bool:
        """Return whether a wait in a call for an object is meant."""
        if self.call and self.call != call.partition("@")[0]:
            return False
        if self.kind is not None and self.kind is not info.kind:
            return False
        return not self.name or fnmatchcase(info.name, self.name)


@frozen
class Preferences:
    """The preferences of one session."""

    share: ShareOf = ShareOf.BUSY
    # The first one that matches decides.
    waits: tuple[WaitPattern, ...] = ()
