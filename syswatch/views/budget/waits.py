"""What was waited for, and the few waits that explain most of the time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from syswatch.base.classes import frozen
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait
from syswatch.model.times import add_ns

from .child_waits import children_of
from .estimate import estimated_times
from .groups import group_of
from .idle import judge_of
from .inside import inside_of
from .names import ANY_CHILD, several_phrase, wait_phrase
from .phrases import part_of
from .pipe_ends import with_ends
from .scope import info_of, threads_of, waiting_now
from .states import TimeState

# A wait is named if it has this share of the time that is explained.
_NAMED = 0.1
_MOST_NAMED = 2
# If those that are named have less than this share together, they explain too little.
_ENOUGH = 0.5
# A wait is said to last if the current one is this share of all time in it.
_LASTING = 0.5


@frozen
class Waits:
    """The time in the waits of some threads, calls in progress included, and the latter alone."""

    snapshot: Snapshot
    spent: Mapping[Wait, int]
    # The longest in progress.
    current: Mapping[Wait, int]


@frozen
class Target:
    """Something that was waited for: an object, or several that people see as one."""

    info: ObjectInfo
    call: str
    spent_ns: int
    current_ns: int = 0
    # How many objects it stands for.
    number: int = 1

    def __add__(self, other: "Target") -> "Target":
        """Add the waits for the same target; the call in which most time went stands for all."""
        main = max(self, other, key=lambda each: each.spent_ns)
        return Target(
            main.info,
            main.call,
            add_ns(self.spent_ns, other.spent_ns),
            max(self.current_ns, other.current_ns),
            self.number + other.number,
        )


def waits_of(snapshot: Snapshot, pid: int | None = None) -> Waits:
    """Return the waits of all threads, or of those of one process."""
    spent: dict[Wait, int] = {}
    if snapshot.sums.threads:
        for tally in threads_of(snapshot, pid).values():
            for wait, spent_ns in tally.times.waiting.items():
                spent[wait] = add_ns(spent.get(wait, 0), spent_ns)
    else:
        spent.update(estimated_times(snapshot, pid)[0].waiting)
    current: dict[Wait, int] = {}
    for _, thread, spent_ns in waiting_now(snapshot, pid):
        wait = Wait(thread.object, thread.call)
        current[wait] = max(current.get(wait, 0), spent_ns)
    return Waits(snapshot, spent, current)


def targets(waits: Waits, *, inside: bool | None = None) -> list[Target]:
    """
    Return what was waited for within work, the longest first.

    With `inside`, only what is traced as well, or only what is not.
    """
    is_inside = inside_of(waits.snapshot)
    judge = judge_of(waits.snapshot)
    found: dict[object, Target] = {}
    seen: set[int] = set()
    for wait, spent_ns in waits.spent.items():
        if judge(wait).state is TimeState.BLOCKED and spent_ns:
            info = _waited_for(waits.snapshot, wait)
            if inside not in (None, judge.is_for_threads(wait) or is_inside(info)):
                continue
            # One object is waited for in calls of several names.
            number = int(info.id not in seen)
            seen.add(info.id)
            target = Target(info, wait.call, spent_ns, waits.current.get(wait, 0), number)
            key = _identity(wait, info)
            found[key] = found[key] + target if key in found else target
    return sorted(found.values(), key=lambda each: -each.spent_ns)


def _waited_for(snapshot: Snapshot, wait: Wait) -> ObjectInfo:
    # A part of a trace does not have the calls that tell who is at the ends.
    if judge_of(snapshot).is_for_children(wait):
        return attrs.evolve(ANY_CHILD, pids=children_of(snapshot.whole, wait))
    return with_ends(snapshot.whole, info_of(snapshot, wait.object))


def main_waits(found: Sequence[Target], whole_ns: int) -> Iterator[str]:
    """Yield the few waits that explain most of the time in some, with their times."""
    blocked_ns = sum(each.spent_ns for each in found)
    named = [each for each in found[:_MOST_NAMED] if each.spent_ns >= _NAMED * blocked_ns]
    if sum(each.spent_ns for each in named) >= _ENOUGH * blocked_ns:
        phrases = [(each, _phrase(each)) for each in named]
    else:
        phrases = [
            (each, phrase)
            for each, phrase in _by_kind(found)[:_MOST_NAMED]
            if each.spent_ns >= _NAMED * blocked_ns
        ]
    for place, (each, phrase) in enumerate(phrases):
        yield _item(each, phrase, blocked_ns, whole_ns, is_first=not place)


def _item(each: Target, phrase: str, blocked_ns: int, whole_ns: int, *, is_first: bool) -> str:
    is_sleep = each.info.kind is ObjectKind.SLEEP
    if each.current_ns >= _LASTING * each.spent_ns and not is_sleep:
        return f"still waiting {part_of(each.current_ns, whole_ns)} {phrase}"
    if is_first and each.spent_ns == blocked_ns:
        return f"all of it {phrase}"
    return f"{part_of(each.spent_ns, whole_ns)}{' of it' if is_first else ''} {phrase}"


def _by_kind(found: Iterable[Target]) -> list[tuple[Target, str]]:
    """Return the sum of each kind, with a phrase that has the number of objects."""
    kinds: dict[ObjectKind, list[Target]] = {}
    for each in found:
        kinds.setdefault(each.info.kind, []).append(each)
    sums = [(_sum(group), _phrase_of_group(group)) for group in kinds.values()]
    return sorted(sums, key=lambda each: -each[0].spent_ns)


def _sum(group: list[Target]) -> Target:
    total = group[0]
    for each in group[1:]:
        total += each
    return total


def _phrase_of_group(group: Sequence[Target]) -> str:
    if len(group) == 1:
        return _phrase(group[0])
    calls = {each.call for each in group}
    call = calls.pop() if len(calls) == 1 else ""
    return several_phrase(call, [each.info for each in group], sum(each.number for each in group))


def _phrase(each: Target) -> str:
    if each.number <= 1:
        return wait_phrase(each.call, each.info)
    return several_phrase(each.call, [each.info], each.number)


def _identity(wait: Wait, info: ObjectInfo) -> object:
    """Return what makes waits one."""
    own = (wait.object, wait.call) if info.kind is ObjectKind.NONE else info.id
    return group_of(info, own)
