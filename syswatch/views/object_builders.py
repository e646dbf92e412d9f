"""Build the records of objects from a snapshot."""

from collections.abc import Mapping

from msgspec.structs import asdict

from syswatch.model.activity import ANY
from syswatch.model.objects import ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from . import time_records as records
from .budget.calls import costs_of_processes
from .budget.costs import NO_COSTS, Costs, by_cost
from .budget.identifiers import object_text
from .budget.idle import judge_of
from .budget.names import object_name
from .budget.objects import ObjectSort, ObjectStat, objects, objects_of, users_of, waits_of
from .budget.scope import known_processes
from .record_builders import bars


def object_rows(
    snapshot: Snapshot,
    pid: int | None = None,
    *,
    kind: ObjectKind | None = None,
    sort: ObjectSort = ObjectSort.TIME,
    limit: int | None = None,
) -> list[records.ObjectRow]:
    """Return the table of objects."""
    found = objects(snapshot, pid, kind=kind, sort=sort, limit=limit)
    return [object_row(each) for each in found]


def objects_of_call(snapshot: Snapshot, call: str, limit: int) -> list[records.ObjectRow]:
    """Return the objects of the calls of one name, with the numbers of these calls only."""
    found = objects_of(snapshot, lambda row: row.call == call, limit)
    return [object_row(each) for each in found]


def processes_of_call(snapshot: Snapshot, call: str, limit: int) -> list[records.ObjectUser]:
    """Return the processes that made the calls of one name, the costliest first."""
    names = known_processes(snapshot)
    found = list(by_cost(costs_of_processes(snapshot, call)).items())
    return [_user(pid, ANY, names.get(pid, ""), costs) for pid, costs in found[:limit]]


def object_summaries(snapshot: Snapshot) -> list[records.ObjectSummary]:
    """Return the table of objects, with what each call did with each of them."""
    return [
        records.ObjectSummary(**asdict(object_row(each)), calls=_counts(each))
        for each in objects(snapshot)
    ]


def _counts(each: ObjectStat) -> dict[str, records.CallCounts]:
    sums = {name: costs.sums for name, costs in by_cost(each.calls).items()}
    return {
        name: records.CallCounts(row.count, row.errors, row.bytes_in, row.bytes_out)
        for name, row in sums.items()
    }


def object_row(each: ObjectStat) -> records.ObjectRow:
    """Return one row of the table of objects."""
    info, judgement = each.info, each.judgement
    return records.ObjectRow(
        **_costs(each.costs),
        id=object_text(each.id),
        kind=info.kind.value,
        name=info.name,
        title=object_name(info),
        detail=info.detail,
        local=info.local,
        service=info.service,
        host=info.host,
        side=info.side.value,
        pids=list(info.pids),
        opens=each.opens,
        failed_opens=each.failed_opens,
        processes=len(each.pids),
        threads=len(each.tids),
        more_users=each.has_more_users,
        state=judgement.state.value if judgement else "",
        reason=judgement.reason if judgement else "",
    )


def object_detail(
    snapshot: Snapshot, each: ObjectStat, pid: int | None = None
) -> records.ObjectDetail:
    """Return everything about one object."""
    users = users_of(snapshot, each.id, pid)
    names = known_processes(snapshot)
    threads = snapshot.sums.threads
    return records.ObjectDetail(
        **asdict(object_row(each)),
        calls=[
            _object_call(snapshot, each.waits[name], costs)
            for name, costs in by_cost(each.calls).items()
        ],
        by_process=[
            _user(pid, ANY, names.get(pid, ""), costs) for pid, costs in _by_process(users).items()
        ],
        by_thread=[
            _user(pid, tid, threads[tid].comm if tid in threads else names.get(pid, ""), costs)
            for (pid, tid), costs in users.items()
        ],
        histogram=bars(waits_of(snapshot, each)),
    )


def _object_call(snapshot: Snapshot, wait: Wait, costs: Costs) -> records.ObjectCall:
    judgement = judge_of(snapshot)(wait) if costs.waiting_ns else None
    return records.ObjectCall(
        **_costs(costs),
        name=wait.call,
        state=judgement.state.value if judgement else "",
        reason=judgement.reason if judgement else "",
    )


def _by_process(users: Mapping[tuple[int, int], Costs]) -> Mapping[int, Costs]:
    costs: dict[int, Costs] = {}
    for (pid, _), each in users.items():
        costs[pid] = costs.get(pid, NO_COSTS) + each
    return by_cost(costs)


def _user(pid: int, tid: int, comm: str, costs: Costs) -> records.ObjectUser:
    return records.ObjectUser(**_costs(costs), pid=pid, tid=tid, comm=comm)


def _costs(costs: Costs) -> dict[str, int]:
    sums = costs.sums
    return {
        "count": sums.count,
        "errors": sums.errors,
        "bytes_in": sums.bytes_in,
        "bytes_out": sums.bytes_out,
        "working": sums.working_ns,
        "waiting": costs.waiting_ns,
        "blocked": costs.blocked_ns,
        "idle": costs.idle_ns,
        "ready": sums.ready_ns,
        "waits": sums.waits,
        "in_progress": costs.in_progress,
        "longest_in_progress": costs.longest_in_progress_ns,
    }
