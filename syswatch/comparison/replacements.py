"""Finds files and programs that take the place of others: the same calls with another path."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from .events import Event
from .group import Group
from .run import Figure, Kind

_KINDS = (Kind.FILE, Kind.PATH, Kind.PROGRAM)
_COUNTS = (Figure.COUNT, Figure.ERRORS)


def without_replacements(events: Sequence[Event]) -> tuple[list[Group], list[Event]]:
    """
    Return the groups of replacements, and all other events.

    One takes the place of another if exactly these two have the same calls, one of them on one side
    only and one on the other, and their name or their directory is the same.
    """
    left = [event for event in events if _is_whole(event)]
    pairs: list[tuple[Event, Event]] = []
    # The same name in another directory tells more than another name in the same one.
    for part in (_name, _directory):
        found = _pairs(left, part)
        taken = {id(event) for pair in found for event in pair}
        left = [event for event in left if id(event) not in taken]
        pairs += found
    moves: dict[Hashable, list[tuple[Event, Event]]] = {}
    for new, gone in pairs:
        lead = new.lead
        place = prefixes(lead.subject.name, gone.lead.subject.name)
        key = (*place, lead.subject.kind, lead.subject.call, lead.figure, new.is_failing)
        moves.setdefault(key, []).append((new, gone))
    taken = {id(event) for pair in pairs for event in pair}
    groups = [
        Group(tuple(new for new, _ in move), replaced=tuple(gone for _, gone in move))
        for move in moves.values()
    ]
    return groups, [event for event in events if id(event) not in taken]


def prefixes(new: str, gone: str) -> tuple[str, str]:
    """Return what differs between two paths that have the same end."""
    one, other = new.split("/"), gone.split("/")
    while len(one) > 1 and len(other) > 1 and one[-1] == other[-1]:
        one.pop()
        other.pop()
    return "/".join(one) or "/", "/".join(other) or "/"


def _is_whole(event: Event) -> bool:
    """Return whether everything of an event is on one side only."""
    is_new = event.lead.is_new
    return event.lead.subject.kind in _KINDS and all(
        each.is_new if is_new else each.is_gone for each in event.changes
    )


def _pairs(events: Iterable[Event], part: Callable[[Event], str]) -> list[tuple[Event, Event]]:
    sides: tuple[dict[Hashable, list[Event]], dict[Hashable, list[Event]]] = ({}, {})
    for event in events:
        side = sides[0] if event.lead.is_new else sides[1]
        side.setdefault((_calls(event), part(event)), []).append(event)
    new, gone = sides
    return [
        (members[0], gone[key][0])
        for key, members in new.items()
        if len(members) == 1 and len(gone.get(key, ())) == 1
    ]


def _calls(event: Event) -> Hashable:
    """Return what calls did, whatever with; numbers in texts differ in length."""
    return frozenset(
        (each.subject.kind, each.subject.call, each.figure, abs(each.difference))
        for each in event.changes
        if each.figure in _COUNTS
    )


def _name(event: Event) -> str:
    return event.lead.subject.name.rpartition("/")[2]


def _directory(event: Event) -> str:
    return event.lead.subject.name.rpartition("/")[0]
