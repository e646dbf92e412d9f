"""The table of objects: files, connections, locks and so on, and what calls did with each."""

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence

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
    found = costs_by(snapshot, lambda row: row.object, pid=pid)
    numbers = [number for number in found if kind in (None, info_of(snapshot, number).kind)]
    return _stats(snapshot, _ranked(snapshot, found, numbers, sort)[:limit], pid)


def objects_of(
    snapshot: Snapshot, includes: Callable[[ActivityKey], bool], limit: int | None = None
) -> list[ObjectStat]:
    """
    Return the objects of some rows of the activity, such as those of a thread or a call.

    Their numbers are those of these rows only.
    """
    found = costs_by(snapshot, lambda row: row.object, includes=includes)
    ranked = _ranked(snapshot, found, found, ObjectSort.TIME)
    return _stats(snapshot, ranked[:limit], None, includes)


def _ranked(
    snapshot: Snapshot, costs: Mapping[int, Costs], numbers: Iterable[int], sort: ObjectSort
) -> list[int]:
    order = _ORDERS[sort]
    return sorted(
        (number for number in numbers if number != NO_OBJECT),
        key=lambda number: (*order(costs[number]), info_of(snapshot, number).name, number),
    )


def object_stat(snapshot: Snapshot, number: int, pid: int | None = None) -> ObjectStat | None:
    """Return one object, or None if no call used it."""
    return next(iter(_stats(snapshot, [number], pid)), None)


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
    snapshot: Snapshot,
    numbers: Sequence[int],
    pid: int | None,
    of: Callable[[ActivityKey], bool] | None = None,
) -> list[ObjectStat]:
    """Return the rows of some objects, in the same order."""
    chosen = frozenset(numbers)

    def includes(row: ActivityKey) -> bool:
        return row.object in chosen and (of is None or of(row))

    rows: dict[int, dict[ActivityKey, Costs]] = {}
    for key, costs in costs_by(snapshot, lambda row: row, pid=pid, includes=includes).items():
        rows.setdefault(key.object, {})[key] = costs
    return [_stat(snapshot, number, rows[number]) for number in numbers if number in rows]


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
