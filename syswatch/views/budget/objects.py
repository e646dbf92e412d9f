"""The table of objects: files, connections, locks and so on, and what calls did with each."""

import enum
from collections.abc import Callable, Mapping, Sequence

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


def objects(  # noqa: PLR0913  all but the first two are keywords
    snapshot: Snapshot,
    pid: int | None = None,
    *,
    kind: ObjectKind | None = None,
    sort: ObjectSort = ObjectSort.TIME,
    call: str = "",
    limit: int | None = None,
) -> list[ObjectStat]:
    """
    Return the objects, or those of one process, of one kind, or of the calls of one name.

    Calls without an object are no row.
    """
    found = costs_by(
        snapshot,
        lambda row: row.object,
        pid=pid,
        includes=(lambda row: row.call == call) if call else None,
    )
    found.pop(NO_OBJECT, None)
    infos = {number: info_of(snapshot, number) for number in found}
    order = _ORDERS[sort]
    ranked = sorted(
        (number for number, info in infos.items() if kind in (None, info.kind)),
        key=lambda number: (*order(found[number]), infos[number].name, number),
    )
    return _stats(snapshot, ranked[:limit], pid, call)


def objects_of(snapshot: Snapshot, includes: Callable[[ActivityKey], bool]) -> list[ObjectStat]:
    """Return the objects of some rows of the activity, such as those of a thread."""
    found = [each for each in _stats(snapshot, None, includes) if each.id != NO_OBJECT]
    order = _ORDERS[ObjectSort.TIME]
    return sorted(found, key=lambda each: (*order(each), each.info.name, each.id))


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
    snapshot: Snapshot, numbers: Sequence[int], pid: int | None, call: str = ""
) -> list[ObjectStat]:
    """Return the rows of some objects, in the same order."""
    chosen = frozenset(numbers)

    def includes(row: ActivityKey) -> bool:
        return row.object in chosen and call in ("", row.call)

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
