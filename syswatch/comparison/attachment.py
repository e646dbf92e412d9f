"""
Attaches what only follows from other changes to what it follows from.

What calls did with an object also changes the numbers of the calls, of the errors and of the paths:
those changes need no sentence of their own.
"""

from collections.abc import Mapping, Sequence

import attrs

from .change import Change
from .events import HOW, SUMMED, Event
from .group import Group
from .parts import OF_COMMAND
from .run import Figure, Kind

_OBJECTS = (Kind.FILE, Kind.PEER, Kind.OBJECT, Kind.PATH)
_BYTES = (Figure.BYTES_IN, Figure.BYTES_OUT)
# How much of a sum may be unexplained: what varies a little is no change of its object.
_UNEXPLAINED = 0.1
# What a call and a figure changed by in each group, by its place.
_Parts = Mapping[tuple[str, Figure], Mapping[int, int]]


def attached(groups: Sequence[Group]) -> list[Group]:
    """Return the groups without those that only follow from others, which they become part of."""
    parts = _parts(groups)
    consequences: dict[int, list[Change]] = {}
    kept: list[int] = []
    for index, group in enumerate(groups):
        causes = [_causes(event, parts) for event in group.events]
        if any(each is None for each in causes):
            kept.append(index)
            continue
        for event, of_event in zip(group.events, causes, strict=True):
            for change, cause in zip(event.changes, of_event or (), strict=True):
                consequences.setdefault(cause, []).append(change)
    return [
        attrs.evolve(groups[index], consequences=tuple(consequences.get(index, ())))
        for index in kept
    ]


def _parts(groups: Sequence[Group]) -> _Parts:
    found: dict[tuple[str, Figure], dict[int, int]] = {}
    for index, group in enumerate(groups):
        for event in (*group.events, *group.replaced):
            for change in event.changes:
                subject = change.subject
                if subject.call and subject.kind in _OBJECTS:
                    key = subject.call, change.figure
                elif subject.name.startswith(OF_COMMAND):
                    key = subject.name, change.figure
                else:
                    continue
                sums = found.setdefault(key, {})
                sums[index] = sums.get(index, 0) + change.difference
    return found


def _causes(event: Event, parts: _Parts) -> list[int] | None:
    """Return for each change the group from which it follows; None if one follows from none."""
    causes: list[int] = []
    for change in event.changes:
        cause = _cause(change, parts)
        if cause is None and change.figure in _BYTES and causes:
            # Those of each object may be too few to be a change.
            cause = causes[0]
        if cause is None:
            return None
        causes.append(cause)
    return causes


def _cause(change: Change, parts: _Parts) -> int | None:
    kind, name, call = change.subject
    if kind is Kind.CALL and change.figure in SUMMED:
        found = parts.get((name, change.figure), {})
    elif kind is Kind.ERROR:
        found = parts.get((call, Figure.ERRORS), {})
    elif kind is Kind.ENDING and not name.startswith(OF_COMMAND):
        # The process of the command itself.
        found = parts.get((name.removeprefix(HOW.sub("", name) + " "), change.figure), {})
    else:
        return None
    rest = change.difference - sum(found.values())
    if not found or abs(rest) > _UNEXPLAINED * abs(change.difference):
        return None
    return max(found, key=lambda index: (abs(found[index]), -index))
