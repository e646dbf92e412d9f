"""The table of objects: files, connections, locks and so on, and what calls did with each."""

import enum
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from syswatch.base.classes import frozen
from syswatch.model.activity import ANY, ActivityKey
from syswatch.model.catalog import openers, plain_name
from syswatch.model.histogram import Histogram
from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from .costs import NO_COSTS, Costs, by_cost, costs_by, costs_by_wait, keys_of
from .groups import Members, ids_of, ids_of_children, in_groups, info_of_group
from .idle import Judgement, judge_of
from .memory import once_per_snapshot
from .scope import info_of


@frozen
class ObjectStat:
    """
    One object as every view shows it, or several that are shown as one.

    `judgement` is that on most of the time waiting; None if no call waited.
    """

    # That of the first one if there are several.
    id: int
    members: Members
    info: ObjectInfo
    costs: Costs
    calls: Mapping[str, Costs]
    # For each call, that of its waits which took the longest.
    waits: Mapping[str, Wait]
    pids: frozenset[int]
    tids: frozenset[int]
    # Whether there are calls of which the process or the thread is not known: those beyond the
    # limit of rows.
    has_more_users: bool
    opens: int
    failed_opens: int
    judgement: Judgement | None


class ObjectSort(enum.Enum):
    """An order of the table of objects."""

    TIME = "time"
    WAITING = "waiting"
    BYTES = "bytes"
    CALLS = "calls"
    ERRORS = "errors"
    NAME = "name"


_ORDERS: Mapping[ObjectSort, Callable[[Costs], tuple[int, ...]]] = {
    ObjectSort.TIME: lambda costs: (-costs.not_idle_ns, -costs.idle_ns, -costs.sums.count),
    ObjectSort.WAITING: lambda costs: (-costs.waiting_ns, -costs.sums.count),
    ObjectSort.BYTES: lambda costs: (-(costs.sums.bytes_in + costs.sums.bytes_out),),
    ObjectSort.CALLS: lambda costs: (-costs.sums.count,),
    ObjectSort.ERRORS: lambda costs: (-costs.sums.errors, -costs.sums.count),
    ObjectSort.NAME: lambda _: (),
}


def objects(
    snapshot: Snapshot,
    pid: int | None = None,
    *,
    kind: ObjectKind | None = None,
    sort: ObjectSort = ObjectSort.TIME,
    limit: int | None = None,
) -> list[ObjectStat]:
    """Return the objects, or those of one process or kind; calls without an object are no row."""
    found = costs_by_wait(snapshot, lambda row: row.object, pid)
    numbers = {number for number in found if kind in (None, info_of(snapshot, number).kind)}
    rows = _each(snapshot, numbers)
    return _stats(snapshot, _ranked(snapshot, found, rows, sort)[:limit], pid)


def costliest_objects(
    snapshot: Snapshot, pid: int | None = None, limit: int | None = None
) -> list[ObjectStat]:
    """Return the costliest objects, with those in one row that people see as one."""
    found = costs_by_wait(snapshot, lambda row: row.object, pid)
    rows = _ranked(snapshot, found, in_groups(snapshot, found), ObjectSort.TIME)
    return _stats(snapshot, rows[:limit], pid)


def objects_of(
    snapshot: Snapshot, includes: Callable[[ActivityKey], bool], limit: int | None = None
) -> list[ObjectStat]:
    """
    Return the objects of some rows of the activity, such as those of a thread or a call.

    Their numbers are those of these rows only.
    """
    found = costs_by(snapshot, lambda row: row.object, includes=includes)
    ranked = _ranked(snapshot, found, _each(snapshot, found), ObjectSort.TIME)
    return _stats(snapshot, ranked[:limit], None, includes)


def _each(snapshot: Snapshot, numbers: Collection[int]) -> list[Members]:
    """Return a row for each object, with those of its IDs that are among some numbers."""
    several = ids_of_children(snapshot.whole)
    together = {several[each] for each in numbers if each in several}
    rows: list[Members] = [(each,) for each in numbers if each not in several]
    return rows + [tuple(each for each in ids if each in numbers) for ids in together]


def _ranked(
    snapshot: Snapshot, costs: Mapping[int, Costs], rows: Iterable[Members], sort: ObjectSort
) -> list[Members]:
    order = _ORDERS[sort]

    def place(members: Members) -> tuple[object, ...]:
        first = members[0]
        whole = sum((costs[each] for each in members[1:]), start=costs[first])
        return *order(whole), info_of(snapshot, first).name, first

    return sorted((members for members in rows if NO_OBJECT not in members), key=place)


def object_stat(snapshot: Snapshot, number: int, pid: int | None = None) -> ObjectStat | None:
    """Return one object, or None if no call used it."""
    others = (each for each in ids_of(snapshot, number) if each != number)
    return next(iter(_stats(snapshot, [(number, *others)], pid)), None)


def waits_of(snapshot: Snapshot, stat: ObjectStat) -> Histogram:
    """Return how long the waits for an object were."""
    waits = snapshot.sums.object_waits
    return Histogram.sum_of(waits[each] for each in stat.members if each in waits)


def users_of(
    snapshot: Snapshot, number: int, pid: int | None = None
) -> dict[tuple[int, int], Costs]:
    """Return what an object costs each thread, by its PID and TID, the costliest first."""
    numbers = ids_of(snapshot, number)
    return by_cost(
        costs_by(
            snapshot,
            lambda row: (row.pid, row.tid),
            pid=pid,
            includes=lambda row: row.object in numbers,
        )
    )


def _stats(
    snapshot: Snapshot,
    chosen: Sequence[Members],
    pid: int | None,
    of: Callable[[ActivityKey], bool] | None = None,
) -> list[ObjectStat]:
    """Return some objects, in the same order."""
    places = {number: members for members in chosen for number in members}

    def includes(row: ActivityKey) -> bool:
        return row.object in places and (of is None or of(row))

    if of is None:
        found = costs_by_wait(snapshot, _wait_of, pid, includes)
    else:
        found = costs_by(snapshot, _wait_of, pid=pid, includes=includes)
    costs: dict[Members, dict[Wait, Costs]] = {}
    for wait, each in found.items():
        costs.setdefault(places[wait.object], {})[wait] = each
    users: dict[Members, set[tuple[int, int]]] = {members: set() for members in costs}
    for key in keys_of(snapshot, pid):
        members = places.get(key[2])
        if members is not None and (of is None or of(key)):
            users[members].add(key[:2])
    return [
        _stat(snapshot, members, costs[members], users[members])
        for members in chosen
        if members in costs
    ]


def _wait_of(row: ActivityKey) -> Wait:
    return Wait(row.object, row.call)


def _stat(
    snapshot: Snapshot,
    members: Members,
    waits: Mapping[Wait, Costs],
    users: Iterable[tuple[int, int]],
) -> ObjectStat:
    calls: dict[str, Costs] = {}
    longest: dict[str, Wait] = {}
    # Their order in a delta is that of a set; of several that are equal, the same must be first.
    for wait, costs in sorted(waits.items()):
        before = calls.get(wait.call)
        calls[wait.call] = costs if before is None else before + costs
        if before is None or costs.waiting_ns > waits[longest[wait.call]].waiting_ns:
            longest[wait.call] = wait
    opening = [costs.sums for call, costs in calls.items() if plain_name(call) in openers()]
    failed = sum(sums.errors for sums in opening)
    call = max(calls, key=lambda call: calls[call].waiting_ns)
    has_waited = bool(calls[call].waiting_ns)
    return ObjectStat(
        id=members[0],
        members=members,
        info=info_of_group(snapshot, members),
        costs=sum(calls.values(), start=NO_COSTS),
        calls=calls,
        waits=longest,
        pids=frozenset(pid for pid, _ in users) - {ANY},
        tids=frozenset(tid for _, tid in users) - {ANY},
        has_more_users=_has_pids(snapshot) and any(tid == ANY for _, tid in users),
        opens=sum(sums.count for sums in opening) - failed,
        failed_opens=failed,
        judgement=judge_of(snapshot)(longest[call]) if has_waited else None,
    )


@once_per_snapshot
def _has_pids(snapshot: Snapshot) -> bool:
    """Return whether 0 is not the PID of the only process, as in a log without PIDs."""
    return any(key[0] for key in snapshot.sums.activity)
