"""Build the records of the time budget from a snapshot."""

from collections.abc import Iterable
from itertools import chain

from msgspec import UNSET
from msgspec.structs import asdict

from syswatch.model.preferences import ShareOf
from syswatch.model.snapshot import Snapshot

from . import time_records as records
from .budget.budget import Budget, PartKey, budget, history
from .budget.calls import with_costs
from .budget.in_progress import Current, in_progress
from .budget.period import ALWAYS, Period, within
from .budget.slowest import SlowStat, slowest
from .budget.states import TimeState
from .budget.threads import LanePoint, ThreadStat, ThreadWait, lanes, threads, waits
from .budget.verdict import verdict
from .formatting import rfc3339
from .record_builders import bars, named_object, syscall
from .recording import not_recorded_yet

_STATES = [state.value for state in TimeState]
_PLACES = {state: place for place, state in enumerate(TimeState)}
_MOST_WAITS = 10
_NS_IN_MS = 1_000_000


def time(
    snapshot: Snapshot,
    pid: int | None = None,
    *,
    share_of: ShareOf | None = None,
    since_ms: int = 0,
    period: Period = ALWAYS,
) -> records.Time:
    """Return where the time of all threads, or of those of a process, went in a range of time."""
    from_ms, to_ms = period.covered_ms(snapshot) if period else (UNSET, UNSET)
    snapshot = within(snapshot, period)
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
        note=spent.note or not_recorded_yet(snapshot),
        parts=[
            records.TimePart(
                key.state.value, _kind(key), part_ns, _rounded(spent.share(key, share_of))
            )
            for key, part_ns in spent.parts.items()
        ],
        history=time_history(snapshot, pid, since_ms),
        from_ms=from_ms,
        to_ms=to_ms,
        exact_range=snapshot.is_exact_part if period else UNSET,
        unrecorded=snapshot.unrecorded_ns or UNSET,
        states=_state_titles(spent) or UNSET,
    )


def _state_titles(spent: Budget) -> list[records.StateTitle]:
    """Return the states that are called differently, because a filter leaves calls out."""
    return [
        records.StateTitle(state.value, texts.title, texts.description)
        for state in TimeState
        if (texts := spent.texts(state)) != state.texts()
    ]


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
        object=named_object(snapshot, each.thread.object),
        since=rfc3339(each.thread.since_ns),
        elapsed=each.spent_ns,
        least_elapsed=each.least_ns if each.thread.call else None,
    )


def thread_rows(
    snapshot: Snapshot, pid: int | None = None, *, limit: int | None = None, since_ms: int = 0
) -> records.Threads:
    """Return the threads with their histories, the busiest first."""
    found = threads(snapshot, pid)
    shown = found[:limit]
    histories = lanes(snapshot, (each.tid for each in shown), since_ms)
    current = {each.tid: each for each in in_progress(snapshot, pid)}
    return records.Threads(
        total=len(found),
        bin_ms=snapshot.sums.timeline.bin_ms,
        states=_STATES,
        threads=[
            _thread(snapshot, each, current.get(each.tid), histories[each.tid]) for each in shown
        ],
    )


def _thread(
    snapshot: Snapshot, each: ThreadStat, current: Current | None, history: Iterable[LanePoint]
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
        lane=[_lane_point(point) for point in history],
    )


def _wait(snapshot: Snapshot, each: ThreadWait) -> records.ThreadWait:
    return records.ThreadWait(
        named_object(snapshot, each.wait.object),
        each.wait.call,
        each.spent_ns,
        each.state.value,
        each.reason,
    )


def _lane_point(point: LanePoint) -> list[int]:
    return [point.at_ms, *chain(*((_PLACES[state], ns) for state, ns in point.states.items()))]


def call_summaries(snapshot: Snapshot) -> list[records.CallSummary]:
    """Return the table of system calls with the durations of their calls."""
    return [
        records.CallSummary(**asdict(syscall(call)), histogram=bars(call.tally.histogram))
        for call in with_costs(snapshot, snapshot.calls)
    ]


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
        object=named_object(snapshot, call.object),
        state=each.state.value if each.state else "",
        reason=each.reason,
    )


def _kind(key: PartKey) -> str:
    return key.kind.value if key.state.is_wait else ""


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 5)
