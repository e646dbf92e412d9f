"""Names of processes that a part of a log does not know, since they are in the parts before it."""

import re
from collections.abc import Callable, Mapping

import attrs

from syswatch.base.classes import frozen
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.renaming import renamed
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.texts import bounded

from .logged_arguments import LoggedArguments

# How `Owner` writes a process without a command, in the names of the objects that have one.
_NAMELESS = "process "
_CHILD = re.compile(r"()process (\d{1,8})()", re.DOTALL)
_FUTEX = re.compile(r"()process (\d{1,8})(: .*)", re.DOTALL)
_DESCRIPTOR = re.compile(r"(.* of )process (\d{1,8})()", re.DOTALL)
_PATTERNS = {
    ObjectKind.CHILD: _CHILD,
    ObjectKind.FUTEX: _FUTEX,
    **dict.fromkeys(
        (
            ObjectKind.PIPE,
            ObjectKind.UNIX,
            ObjectKind.SOCKET,
            ObjectKind.EVENTFD,
            ObjectKind.TIMERFD,
            ObjectKind.SIGNALFD,
            ObjectKind.INOTIFY,
            ObjectKind.EPOLL,
            ObjectKind.IO_URING,
            ObjectKind.DESCRIPTOR,
        ),
        _DESCRIPTOR,
    ),
}


@frozen
class PartNames:
    """What a part knows of the names of its processes, by PID."""

    # The processes without a command, with the one that has their name in the parts before; -1 if
    # two processes had the same PID, so that it is not known which one an object belongs to.
    origins: Mapping[int, int] = attrs.field(factory=dict)
    # The processes at the end of the part, and those that ended in it.
    owners: Mapping[int, Owner] = attrs.field(factory=dict)
    ended: Mapping[int, Owner] = attrs.field(factory=dict)
    # The clones in progress at the end, whose children may be in the next part.
    cloning: Mapping[int, LoggedArguments] = attrs.field(factory=dict)
    # The children of clones in progress that were seen.
    children: frozenset[int] = frozenset()


def named_objects(
    delta: Delta, owner_of: Callable[[int], Owner], mask: Callable[[ObjectInfo], ObjectInfo]
) -> tuple[Delta, Mapping[int, int]]:
    """Return a delta with the names of processes in its objects; and the IDs that changed."""
    objects: dict[int, ObjectInfo] = {}
    changed: dict[int, int] = {}
    for number, before in delta.objects.items():
        info = _named(before, owner_of)
        if info is not before:
            info = mask(info)
            changed[number] = info.id
        new = changed.get(number, number)
        objects[new] = objects[new] + info if new in objects else info
    if not changed:
        return delta, changed
    return attrs.evolve(renamed(delta, changed), objects=objects), changed


def _named(info: ObjectInfo, owner_of: Callable[[int], Owner]) -> ObjectInfo:
    pattern = _PATTERNS.get(info.kind) if _NAMELESS in info.name else None
    match = pattern.fullmatch(info.name) if pattern is not None else None
    if match is None:
        return info
    pid = int(match[2])
    owner = owner_of(pid)
    if info.kind is ObjectKind.CHILD:
        owner = Owner(pid, owner.comm)
    name = bounded(f"{match[1]}{owner}{match[3]}")
    return info if name == info.name else attrs.evolve(info, name=name)
