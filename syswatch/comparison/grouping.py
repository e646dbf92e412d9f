"""Groups the events that one sentence tells of."""

from collections.abc import Sequence

from .directories import by_directory
from .events import Event
from .group import FILES, Group
from .replacements import without_replacements
from .run import Figure

_Alike = tuple[str, Figure, bool, bool, bool, bool]


def grouped(events: Sequence[Event]) -> list[Group]:
    """Return the groups, each event in one of them."""
    groups, others = without_replacements(events)
    alike: dict[_Alike, list[Event]] = {}
    for event in others:
        if event.lead.subject.kind in FILES:
            alike.setdefault(_alike(event), []).append(event)
        else:
            groups.append(Group((event,)))
    for members in alike.values():
        searches, rest = _searches(members) if members[0].is_failing else ([], members)
        groups += searches
        for directory, below in by_directory(rest, lambda event: event.lead.subject.name):
            groups.append(Group(tuple(below), directory if len(below) > 1 else None))
    return groups


def _alike(event: Event) -> _Alike:
    """Return what the events of files have in common that one sentence tells of."""
    lead = event.lead
    return (
        lead.subject.call,
        lead.figure,
        lead.difference > 0,
        event.is_failing,
        lead.is_new,
        lead.is_gone,
    )


def _searches(events: Sequence[Event]) -> tuple[list[Group], Sequence[Event]]:
    """Return a group for the names that fail in the same directories, and all other events."""
    by_name: dict[str, dict[str, Event]] = {}
    for event in events:
        directory, _, name = event.lead.subject.name.rstrip("/").rpartition("/")
        by_name.setdefault(name, {})[directory] = event
    places: dict[tuple[str, ...], list[str]] = {}
    for name, members in by_name.items():
        places.setdefault(tuple(sorted(members)), []).append(name)
    groups = [
        Group(
            tuple(by_name[name][directory] for name in sorted(names) for directory in directories),
            names=tuple(sorted(names)),
        )
        for directories, names in places.items()
        if len(directories) > 1
    ]
    taken = {id(event) for group in groups for event in group.events}
    return groups, [event for event in events if id(event) not in taken]
