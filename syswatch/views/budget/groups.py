"""Objects that people see as one: the processes of a command, and sleeps of any length."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import attrs

from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot

from .memory import once_per_snapshot
from .names import command_of
from .scope import info_of

# The objects of one row.
Members = tuple[int, ...]
_MOST_NAMED = 5


def group_of(info: ObjectInfo, own: Hashable) -> Hashable:
    """Return what an object has in common with others, or its own key."""
    if info.kind is ObjectKind.SLEEP and info.name:
        return info.kind
    command = command_of(info)
    return (info.kind, command) if command else own


def ids_of(snapshot: Snapshot, number: int) -> Members:
    """Return all IDs of an object: a child may have one by the name that it had before its exec."""
    return ids_of_children(snapshot.whole).get(number, (number,))


@once_per_snapshot
def ids_of_children(whole: Snapshot) -> Mapping[int, Members]:
    """Return the IDs of each child that has several."""
    found: dict[str, list[int]] = {}
    for number, info in whole.sums.objects.items():
        if info.kind is ObjectKind.CHILD and info.pids:
            found.setdefault(info_of(whole, number).name, []).append(number)
    return {
        number: tuple(sorted(numbers))
        for numbers in found.values()
        if len(numbers) > 1
        for number in numbers
    }


def in_groups(snapshot: Snapshot, numbers: Iterable[int]) -> list[Members]:
    """Return objects with those together that people see as one."""
    groups: dict[Hashable, list[int]] = {}
    for number in numbers:
        groups.setdefault(group_of(info_of(snapshot, number), number), []).append(number)
    return [tuple(group) for group in groups.values()]


def info_of_group(snapshot: Snapshot, members: Members) -> ObjectInfo:
    """Return an object, or what several have in common."""
    # A child may have been named before and after its exec.
    infos = list(
        {info.name: info for info in (info_of(snapshot, each) for each in members)}.values()
    )
    first, number = infos[0], len(infos)
    if number == 1:
        return first
    name = f"{number:,} durations"
    if first.kind is ObjectKind.CHILD:
        name = f"{command_of(first)}, {number:,} processes"
    return attrs.evolve(first, name=name, detail=_details(infos), pids=())


def _details(infos: Sequence[ObjectInfo]) -> str:
    named = ", ".join(info.name for info in infos[:_MOST_NAMED])
    more = len(infos) - _MOST_NAMED
    return f"{named} and {more:,} more" if more > 0 else named
