"""Groups of object kinds that share a colour where blocked time is drawn by kind."""

import enum
from collections.abc import Mapping
from typing import Self

from syswatch.model.objects import ObjectKind


class WaitGroup(enum.Enum):
    """What the waits of a group are for, with the colours on light and on dark."""

    light: str
    dark: str
    kinds: tuple[ObjectKind, ...]

    def __new__(cls, key: str, light: str, dark: str, *kinds: ObjectKind) -> Self:
        """Keep the colours beside the key, which is the value."""
        member = object.__new__(cls)
        member._value_ = key
        member.light, member.dark, member.kinds = light, dark, kinds
        return member

    NETWORK = "network", "#c2410c", "#fb8b4b", ObjectKind.TCP, ObjectKind.UDP, ObjectKind.SOCKET
    DISK = (
        *("disk", "#7c4a1e", "#d6a26e"),
        *(ObjectKind.PATH, ObjectKind.FILE, ObjectKind.DIRECTORY, ObjectKind.DEVICE),
        *(ObjectKind.MEMFD, ObjectKind.IO_URING),
    )
    LOCK = "lock", "#a8326e", "#f28cc0", ObjectKind.FUTEX
    NEIGHBOUR = (
        *("neighbour", "#b3261e", "#ff8f87"),
        *(ObjectKind.PIPE, ObjectKind.UNIX, ObjectKind.TTY, ObjectKind.EVENTFD),
    )
    CHILD = "child", "#6f4bb3", "#c0a1ff", ObjectKind.CHILD, ObjectKind.SIGNAL
    CLOCK = "clock", "#a34a2a", "#ffbf9c", ObjectKind.SLEEP, ObjectKind.TIMEOUT, ObjectKind.TIMERFD
    OTHER = "other", "#6b5344", "#bfa796"

    @property
    def css_class(self) -> str:
        """The class that sets the colour."""
        return f"wait-{self.value}"


_GROUPS: Mapping[ObjectKind, WaitGroup] = {
    kind: group for group in WaitGroup for kind in group.kinds
}


def wait_group(kind: ObjectKind) -> WaitGroup:
    """Return the group of a kind of object."""
    return _GROUPS.get(kind, WaitGroup.OTHER)
