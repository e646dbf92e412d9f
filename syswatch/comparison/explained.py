"""Explains groups, and makes those one that have the same reason."""

from collections.abc import Sequence

import attrs

from .change import Change
from .evidence import Evidence
from .explanations import Reason, explanation
from .group import FILES, Group
from .run import Kind

# Comparing all groups with all would take long.
_MOST_CAUSES = 50


def explained(groups: Sequence[Group], evidence: Evidence) -> list[tuple[Group, Reason]]:
    """Return the groups with their reasons; what follows from a group is part of it."""
    left = [(group, explanation(group, evidence)) for group in groups]
    # What succeeds tells more than what only fails on the way to it.
    left.sort(key=lambda each: (each[0].is_failing, -abs(each[0].difference), _name(each[0])))
    causes = [each for each in left if each[1].text or _is_moved_program(each[0])]
    for group, reason in causes[:_MOST_CAUSES]:
        place = next((at for at, each in enumerate(left) if each[0] is group), None)
        if place is None:
            continue
        following = [each for each in left if _follows(each, group, reason)]
        whole = attrs.evolve(
            group,
            consequences=(
                *group.consequences,
                *(change for each, _ in following for change in (*each.leads, *each.rest)),
            ),
        )
        left[place] = (whole, reason)
        taken = {id(each) for each, _ in following}
        left = [each for each in left if id(each[0]) not in taken]
    return left


def _name(group: Group) -> tuple[str, str, str]:
    subject = group.lead.subject
    return subject.kind.value, subject.name, subject.call


def _is_moved_program(group: Group) -> bool:
    return bool(group.replaced) and group.lead.subject.kind is Kind.PROGRAM


def _follows(other: tuple[Group, Reason], group: Group, reason: Reason) -> bool:
    """Return whether files changed for the same reason as those of a group."""
    files, of_files = other
    if files is group or files.lead.subject.kind not in FILES:
        return False
    if _is_moved_program(group):
        return _names(files) == _names(group)
    if files.replaced or group.lead.subject.kind not in FILES:
        return False
    if reason.text == of_files.text:
        return True
    return all(_is_alike(each, group.lead) for each in files.leads) and _is_on_the_way(
        _names(files), group, reason
    )


def _is_on_the_way(names: Sequence[str], group: Group, reason: Reason) -> bool:
    """Return whether files are in the place of a reason, or are directories of a search."""
    if reason.is_search:
        searched = [f"{name}/" for name in _names(group)]
        return all(any(path.startswith(f"{name}/") for path in searched) for name in names)
    return bool(reason.place) and all(f"{name}/".startswith(f"{reason.place}/") for name in names)


def _names(group: Group) -> list[str]:
    return [each.subject.name for each in group.leads]


def _is_alike(one: Change, other: Change) -> bool:
    """Return whether two numbers came or went alike, or are in the same proportion."""
    sides = [(each.before.middle, each.after.middle) for each in (one, other)]
    return sides[0][0] * sides[1][1] == sides[0][1] * sides[1][0]
