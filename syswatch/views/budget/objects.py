"""The table of objects: files, connections, locks and so on, and what calls did with each."""

import enum
from collections.abc import Callable, Mapping

import attrs

from syswatch.model.activity import ANY, ActivityKey
from syswatch.model.catalog import openers
from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from .call_families import plain
from .costs import NO_COSTS, Costs, by_cost, costs_by
from .idle import Judgement, judge_of
from .scope import info_of


@attrs.frozen
class ObjectStat:
    """
    One object as every view shows it.

    `judgement` is that on most of the time waiting; None if no call waited.
    """

    id: int
    info: ObjectInfo
    costs: Costs
    calls: Mapping[str, Costs]
    pids: frozenset[int]
    tids: frozenset[int]
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


_ORDERS: Mapping[ObjectSort, Callable[[ObjectStat], tuple[int | str, ...]]] = {
    ObjectSort.TIME: lambda each: (
        -each.costs.not_idle_ns,
        -each.costs.idle_ns,
        -each.costs.sums.count,
    ),
    ObjectSort.WAITING: lambda each: (-each.costs.waiting_ns, -each.costs.sums.count),
    ObjectSort.BYTES: lambda each: (-(each.costs.sums.bytes_in + each.costs.sums.bytes_out),),
    ObjectSort.CALLS: lambda each: (-each.costs.sums.count,),
    ObjectSort.ERRORS: lambda each: (-each.costs.sums.errors, -each.costs.sums.count),
    ObjectSort.NAME: lambda each: (each.info.name,),
}


def objects(
    snapshot: Snapshot,
    pid: int | None = None,
    *,
    kind: ObjectKind | None = None,
    sort: ObjectSort = ObjectSort.TIME,
    call: str = "",
) -> list[ObjectStat]:
    """
    Return the objects, or those of one process, of one kind, or of the calls of one name.

    Calls without an object are no row.
    """
    found = [
        each
        for each in _stats(snapshot, pid, lambda row: call in ("", row.call))
        if each.id != NO_OBJECT and kind in (None, each.info.kind)
    ]
    order = _ORDERS[sort]
    return sorted(found, key=lambda each: (*order(each), each.info.name, each.id))


def objects_of(snapshot: Snapshot, includes: Callable[[ActivityKey], bool]) -> list[ObjectStat]:
    """Return the objects of some rows of the activity, such as those of a thread."""
    found = [each for each in _stats(snapshot, None, includes) if each.id != NO_OBJECT]
    order = _ORDERS[ObjectSort.TIME]
    return sorted(found, key=lambda each: (*order(each), each.info.name, each.id))


def object_stat(snapshot: Snapshot, number: int, pid: int | None = None) -> ObjectStat | None:
    """Return one object, or None if no call used it."""
    return next(iter(_stats(snapshot, pid, lambda row: row.object == number)), None)


def users_of(
    snapshot: Snapshot, number: int, pid: int | None = None
) -> dict[tuple[int, int], Costs]:
    """Return what an object costs each thread, by its PID and TID, the costliest first."""
    return by_cost(
        costs_by(
            snapshot,
            lambda row: (row.pid, row.tid),
            pid=pid,
            includes=lambda row: row.object == number,
        )
    )


def _stats(
    snapshot: Snapshot, pid: int | None, includes: Callable[[ActivityKey], bool]
) -> list[ObjectStat]:
    rows = costs_by(snapshot, lambda row: row, pid=pid, includes=includes)
    gathered: dict[int, dict[ActivityKey, Costs]] = {}
    for key, costs in rows.items():
        gathered.setdefault(key.object, {})[key] = costs
    return [_stat(snapshot, number, each) for number, each in gathered.items()]


def _stat(snapshot: Snapshot, number: int, rows: Mapping[ActivityKey, Costs]) -> ObjectStat:
    calls: dict[str, Costs] = {}
    for key, costs in rows.items():
        calls[key.call] = calls.get(key.call, NO_COSTS) + costs
    opening = [costs.sums for call, costs in calls.items() if plain(call) in openers()]
    failed = sum(sums.errors for sums in opening)
    main = max(calls, key=lambda call: calls[call].waiting_ns)
    has_waited = bool(calls[main].waiting_ns)
    return ObjectStat(
        id=number,
        info=info_of(snapshot, number),
        costs=sum(calls.values(), start=NO_COSTS),
        calls=calls,
        pids=frozenset(key.pid for key in rows) - {ANY},
        tids=frozenset(key.tid for key in rows) - {ANY},
        opens=sum(sums.count for sums in opening) - failed,
        failed_opens=failed,
        judgement=judge_of(snapshot)(Wait(number, main)) if has_waited else None,
    )
