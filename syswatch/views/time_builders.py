"""Build the records of the time budget from a snapshot."""

from collections.abc import Mapping
from itertools import chain

from msgspec.structs import asdict

from syswatch.model.activity import ANY
from syswatch.model.histogram import Histogram
from syswatch.model.objects import NO_OBJECT, ObjectKind
from syswatch.model.preferences import ShareOf
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from . import time_records as records
from .budget.budget import PartKey, budget, history
from .budget.costs import NO_COSTS, Costs, by_cost
from .budget.identifiers import object_text
from .budget.idle import judge_of
from .budget.in_progress import Current, in_progress
from .budget.names import object_name
from .budget.objects import ObjectSort, ObjectStat, objects, users_of
from .budget.scope import info_of, known_processes
from .budget.slowest import SlowStat, slowest
from .budget.states import TimeState
from .budget.threads import LanePoint, ThreadStat, ThreadWait, lane, threads, waits
from .budget.verdict import verdict
from .formatting import rfc3339
from .records import Bar

_STATES = [state.value for state in TimeState]
_PLACES = {state: place for place, state in enumerate(TimeState)}
_MOST_WAITS = 10


def time(
    snapshot: Snapshot,
    pid: int | None = None,
    *,
    share_of: ShareOf | None = None,
    since_ms: int = 0,
) -> records.Time:
    """Return where the time of all threads, or of those of a process, went."""
    share_of = share_of or snapshot.preferences.share
    spent = budget(snapshot, pid)
    return records.Time(
        verdict=verdict(snapshot, pid),
        share_of=share_of.value,
        wall_time=spent.wall_ns,
        busy_time=spent.busy_ns,
        call_time=spent.call_ns,
        threads=spent.threads,
        estimated=spent.is_estimated,
        note=spent.note,
        parts=[
            records.TimePart(
                key.state.value, _kind(key), part_ns, _rounded(spent.share(key, share_of))
            )
            for key, part_ns in spent.parts.items()
        ],
        history=time_history(snapshot, pid, since_ms),
    )


def time_history(
    snapshot: Snapshot, pid: int | None = None, since_ms: int = 0
) -> records.TimeHistory:
    """Return the history of the time budget in compact form."""
    places: dict[PartKey, int] = {}
    bins = []
    for each in history(snapshot, pid, since_ms):
        point = [each.at_ms]
        for key, part_ns in each.parts.items():
            point += (places.setdefault(key, len(places)), part_ns)
        bins.append(point)
    return records.TimeHistory(
        bin_ms=snapshot.sums.timeline.bin_ms,
        states=[key.state.value for key in places],
        kinds=[_kind(key) for key in places],
        bins=bins,
    )


def now(snapshot: Snapshot, pid: int | None = None, limit: int | None = None) -> records.Now:
    """Return what each thread is doing, the blocked ones first."""
    found = in_progress(snapshot, pid)
    at_ns = snapshot.sums.now.at_ns if found else 0
    return records.Now(
        rfc3339(at_ns or None), len(found), [_current(snapshot, each) for each in found[:limit]]
    )


def _current(snapshot: Snapshot, each: Current) -> records.CurrentThread:
    return records.CurrentThread(
        tid=each.tid,
        pid=each.thread.pid,
        comm=each.thread.comm,
        state=each.state.value,
        reason=each.reason,
        call=each.thread.call,
        args=each.thread.args,
        object=named(snapshot, each.thread.object),
        since=rfc3339(each.thread.since_ns),
        elapsed=each.spent_ns,
    )


def named(snapshot: Snapshot, number: int) -> records.ObjectName:
    """Return an object for where it is mentioned."""
    info = info_of(snapshot, number)
    name = "" if number == NO_OBJECT else object_name(info)
    return records.ObjectName(object_text(number), info.kind.value, name)


def object_rows(
    snapshot: Snapshot,
    pid: int | None = None,
    *,
    kind: ObjectKind | None = None,
    sort: ObjectSort = ObjectSort.TIME,
    limit: int | None = None,
) -> list[records.ObjectRow]:
    """Return the table of objects."""
    return [object_row(each) for each in objects(snapshot, pid, kind=kind, sort=sort)[:limit]]


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
        state=judgement.state.value if judgement else "",
        reason=judgement.reason if judgement else "",
    )


def object_detail(
    snapshot: Snapshot, each: ObjectStat, pid: int | None = None
) -> records.ObjectDetail:
    """Return everything about one object."""
    users = users_of(snapshot, each.id, pid)
    names = known_processes(snapshot)
    histogram = snapshot.sums.object_waits.get(each.id, Histogram())
    return records.ObjectDetail(
        **asdict(object_row(each)),
        calls=[
            _object_call(snapshot, each.id, name, costs)
            for name, costs in by_cost(each.calls).items()
        ],
        by_process=[_user(pid, ANY, names, costs) for pid, costs in _by_process(users).items()],
        by_thread=[_user(pid, tid, names, costs) for (pid, tid), costs in users.items()],
        histogram=[Bar(most, count) for most, count in histogram.bars()],
    )


def _object_call(snapshot: Snapshot, number: int, name: str, costs: Costs) -> records.ObjectCall:
    judgement = judge_of(snapshot)(Wait(number, name)) if costs.waiting_ns else None
    return records.ObjectCall(
        **_costs(costs),
        name=name,
        state=judgement.state.value if judgement else "",
        reason=judgement.reason if judgement else "",
    )


def _by_process(users: Mapping[tuple[int, int], Costs]) -> Mapping[int, Costs]:
    costs: dict[int, Costs] = {}
    for (pid, _), each in users.items():
        costs[pid] = costs.get(pid, NO_COSTS) + each
    return by_cost(costs)


def _user(pid: int, tid: int, names: Mapping[int, str], costs: Costs) -> records.ObjectUser:
    return records.ObjectUser(**_costs(costs), pid=pid, tid=tid, comm=names.get(pid, ""))


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


def thread_rows(
    snapshot: Snapshot, pid: int | None = None, *, limit: int | None = None, since_ms: int = 0
) -> records.Threads:
    """Return the threads with their histories, the busiest first."""
    found = threads(snapshot, pid)
    current = {each.tid: each for each in in_progress(snapshot, pid)}
    return records.Threads(
        total=len(found),
        bin_ms=snapshot.sums.timeline.bin_ms,
        states=_STATES,
        threads=[
            _thread(snapshot, each, current.get(each.tid), since_ms) for each in found[:limit]
        ],
    )


def _thread(
    snapshot: Snapshot, each: ThreadStat, current: Current | None, since_ms: int
) -> records.ThreadRow:
    times = each.tally.times
    return records.ThreadRow(
        tid=each.tid,
        pid=each.tally.pid,
        comm=each.tally.comm,
        ended=each.tally.has_ended,
        calls=each.tally.calls,
        errors=each.tally.errors,
        wall_time=times.wall_ns,
        user=times.user_ns,
        working=times.working_ns,
        blocked=each.in_state(TimeState.BLOCKED),
        idle=each.in_state(TimeState.IDLE),
        ready=times.ready_ns,
        stopped=times.stopped_ns,
        state=current.state.value if current else "",
        call=current.thread.call if current else "",
        elapsed=current.spent_ns if current else None,
        waits=[_wait(snapshot, wait) for wait in waits(snapshot, each)[:_MOST_WAITS]],
        lane=[_lane_point(point) for point in lane(snapshot, each.tid, since_ms)],
    )


def _wait(snapshot: Snapshot, each: ThreadWait) -> records.ThreadWait:
    return records.ThreadWait(
        named(snapshot, each.wait.object),
        each.wait.call,
        each.spent_ns,
        each.state.value,
        each.reason,
    )


def _lane_point(point: LanePoint) -> list[int]:
    return [point.at_ms, *chain(*((_PLACES[state], ns) for state, ns in point.states.items()))]


def slow_calls(
    snapshot: Snapshot, pid: int | None = None, call: str = ""
) -> list[records.SlowCall]:
    """Return the slowest calls, or those of one process or name."""
    return [_slow(snapshot, each) for each in slowest(snapshot, pid, call)]


def _slow(snapshot: Snapshot, each: SlowStat) -> records.SlowCall:
    call = each.call
    return records.SlowCall(
        time=rfc3339(call.time_ns),
        pid=call.pid,
        tid=call.tid,
        name=call.name,
        args=call.args,
        ret_val=call.ret,
        error=call.error,
        duration=call.duration_ns,
        waiting=call.waiting_ns,
        object=named(snapshot, call.object),
        state=each.state.value if each.state else "",
        reason=each.reason,
    )


def _kind(key: PartKey) -> str:
    return key.kind.value if key.state.is_wait else ""


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 5)
