"""
Attaches what is in proportion to the executions of programs to these.

If make compiles a third file, the compiler is executed three times rather than twice, and so is
everything that each execution does.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import attrs

from .change import Change
from .evidence import Evidence
from .group import FILES, Group
from .run import Figure, Kind

_SUMS = (Kind.CALL, Kind.ERROR)
_COUNTS = (Figure.COUNT, Figure.ERRORS)


def with_proportional(groups: Sequence[Group], evidence: Evidence) -> list[Group]:
    """
    Return the groups with those in proportion to executions as consequences of these.

    The executions are of programs that both sides have, since only then there is a proportion.
    """
    executions: dict[tuple[int, int], list[Group]] = {}
    others: list[Group] = []
    for group in groups:
        lead = group.lead
        if lead.subject.kind is Kind.PROGRAM and min(*_sides(lead)) and not group.replaced:
            executions.setdefault(_sides(lead), []).append(group)
        else:
            others.append(group)
    if not executions:
        return _with_processes(others, evidence)
    # What more programs have in common explains more.
    for sides, programs in sorted(executions.items(), key=lambda item: (-len(item[1]), item[0])):
        ratios = {Fraction(*sides), evidence.processes}
        following = [each for each in others if _is_proportional(each, sides, ratios)]
        others = [each for each in others if not _is_proportional(each, sides, ratios)]
        others.append(_of_executions(programs, following))
    return others


def _with_processes(groups: list[Group], evidence: Evidence) -> list[Group]:
    """Return the groups with what every process does as a consequence of a new program."""
    programs = [group for group in groups if _is_one_sided_program(group)]
    if not programs or evidence.processes == 1:
        return groups
    cause = max(programs, key=lambda group: (abs(group.difference), group.lead.subject.name))
    following = [each for each in groups if _is_of_processes(each, evidence.processes)]
    kept = [each for each in groups if each is not cause and each not in following]
    return [*kept, _of_executions([cause], following)]


def _is_one_sided_program(group: Group) -> bool:
    lead = group.lead
    return lead.subject.kind is Kind.PROGRAM and not group.replaced and not min(*_sides(lead))


def _is_of_processes(group: Group, ratio: Fraction) -> bool:
    return group.lead.subject.kind in (*FILES, *_SUMS) and all(
        min(_sides(each)) > 0 and each.figure in _COUNTS and Fraction(*_sides(each)) == ratio
        for each in group.leads
    )


def _of_executions(programs: Sequence[Group], following: Sequence[Group]) -> Group:
    return attrs.evolve(
        programs[0],
        events=tuple(event for group in programs for event in group.events),
        consequences=(
            *(each for group in programs for each in group.consequences),
            *(each for group in following for each in (*group.leads, *group.rest)),
        ),
        in_proportion=len(following),
    )


def _is_proportional(group: Group, sides: tuple[int, int], ratios: Iterable[Fraction]) -> bool:
    if group.replaced:
        return False
    return all(_fits(event.lead, sides, ratios) for event in group.events)


def _fits(change: Change, sides: tuple[int, int], ratios: Iterable[Fraction]) -> bool:
    """
    Return whether executions explain a change.

    A file must be in proportion to them.  Calls of all files together are also made by others, as
    often on both sides, so that only the difference has to be that of so many executions.
    """
    if change.figure not in _COUNTS:
        return False
    before, after = _sides(change)
    if change.subject.kind in FILES:
        return bool(before and after) and Fraction(before, after) in ratios
    if change.subject.kind not in _SUMS:
        return False
    by_each, rest = divmod(after - before, sides[1] - sides[0])
    return not rest and by_each > 0 and before >= by_each * sides[0]


def _sides(change: Change) -> tuple[int, int]:
    return change.before.middle, change.after.middle
