"""The table of system calls with what each one costs: the time in it that was not idle."""

from collections.abc import Callable, Iterable, Mapping

import attrs

from syswatch.model.activity import Sums
from syswatch.model.calls import CallTally
from syswatch.model.snapshot import CallStat, Snapshot, call_stats
from syswatch.model.waits import WaitTally
from syswatch.views.forms import CallSort

from .costs import NO_COSTS, Costs, costs_by, costs_by_wait
from .idle import judge_of
from .memory import once_per_snapshot
from .scope import activity_of, sums_of_waits
from .states import TimeState


def calls(
    snapshot: Snapshot, pid: int | None = None, sort: CallSort = CallSort.TIME
) -> list[CallStat]:
    """Return all calls, or those of one process, including those that have never returned."""
    costs = call_costs(snapshot, pid)
    rows = {call.name: call for call in _returned(snapshot, pid)}
    for name in costs:
        rows.setdefault(name, CallStat.of(name, CallTally()))
    found = with_costs(snapshot, rows.values(), pid)
    order = _orders(costs)[sort]
    return sorted(found, key=lambda call: (*order(call), -call.tally.count, call.name))


def with_costs(
    snapshot: Snapshot, rows: Iterable[CallStat], pid: int | None = None
) -> list[CallStat]:
    """Return some rows, in the same order, with what the calls cost."""
    costs = call_costs(snapshot, pid)
    return [_with_costs(call, costs.get(call.name, NO_COSTS)) for call in rows]


def call_costs(snapshot: Snapshot, pid: int | None = None) -> Mapping[str, Costs]:
    """Return the costs of each call; estimates if the source recorded no waits."""
    return _costs_of_all(snapshot) if pid is None else _costs(snapshot, pid)


def costs_of_processes(snapshot: Snapshot, call: str) -> Mapping[int, Costs]:
    """Return the costs of the calls of one name in each process."""
    return costs_by(snapshot, lambda row: row.pid, includes=lambda row: row.call == call)


def _orders(
    costs: Mapping[str, Costs],
) -> Mapping[CallSort, Callable[[CallStat], tuple[int | str, ...]]]:
    def bytes_of(call: CallStat) -> int:
        sums = costs.get(call.name, NO_COSTS).sums
        return sums.bytes_in + sums.bytes_out

    return {
        CallSort.TIME: lambda call: (-call.not_idle_ns, -call.idle_ns),
        CallSort.CALLS: lambda _: (),
        CallSort.ERRORS: lambda call: (-call.tally.errors,),
        CallSort.WAITING: lambda call: (-call.waiting_ns,),
        CallSort.BYTES: lambda call: (-bytes_of(call),),
        CallSort.NAME: lambda call: (call.name,),
    }


@once_per_snapshot
def _costs_of_all(snapshot: Snapshot) -> Mapping[str, Costs]:
    return _costs(snapshot, None)


def _costs(snapshot: Snapshot, pid: int | None) -> Mapping[str, Costs]:
    costs = costs_by_wait(snapshot, lambda row: row.call, pid)
    if snapshot.sums.activity:
        return costs
    judge = judge_of(snapshot)
    for wait, sums in sums_of_waits(snapshot, pid).items():
        is_idle = judge(wait).state is TimeState.IDLE
        blocked_ns, idle_ns = (0, sums.waiting_ns) if is_idle else (sums.waiting_ns, 0)
        costs[wait.call] = costs.get(wait.call, NO_COSTS) + Costs(sums, blocked_ns, idle_ns)
    return costs


def _returned(snapshot: Snapshot, pid: int | None) -> tuple[CallStat, ...]:
    if pid is None:
        return snapshot.calls
    known = snapshot.sums.by_process.get(pid)
    if known is not None:
        return call_stats(known, {}, {})
    tallies: dict[str, CallTally] = {}
    for key, sums in activity_of(snapshot, pid).items():
        tallies[key.call] = tallies.get(key.call, CallTally()) + _tally(sums)
    return call_stats(tallies, {}, {})


def _tally(sums: Sums) -> CallTally:
    """Return the sums as a tally; there are no single durations, so it has no histogram."""
    return CallTally(
        count=sums.count,
        errors=sums.errors,
        total_ns=sums.total_ns,
        waits=WaitTally(sums.waits, sums.waiting_ns, sums.ready_ns),
    )


def _with_costs(call: CallStat, costs: Costs) -> CallStat:
    return attrs.evolve(
        call,
        working_ns=costs.sums.working_ns,
        ready_ns=costs.sums.ready_ns,
        blocked_ns=costs.blocked_ns,
        idle_ns=costs.idle_ns,
        in_progress=costs.in_progress,
        in_progress_ns=costs.waiting_ns - costs.sums.waiting_ns,
    )
