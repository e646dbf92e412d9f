"""What each thread is doing now, and for how long."""

from syswatch.base.classes import frozen
from syswatch.model.now import Doing, ThreadNow
from syswatch.model.objects import ObjectInfo
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from .idle import judge_of
from .scope import info_of, now_of
from .states import TimeState

_STATES = {
    Doing.IN_CALL: TimeState.WORKING,
    Doing.RUNNING: TimeState.USER,
    Doing.READY: TimeState.READY,
    Doing.STOPPED: TimeState.STOPPED,
}
_ORDER = {state: place for place, state in enumerate(TimeState)}


@frozen
class Current:
    """
    One thread; `spent_ns` is None unless it is in a call that began at a known time.

    `least_ns` is how long the call has lasted at least: one that began before the trace, so long as
    its thread has been traced.
    """

    tid: int
    thread: ThreadNow
    state: TimeState
    reason: str
    info: ObjectInfo
    spent_ns: int | None
    least_ns: int


def in_progress(snapshot: Snapshot, pid: int | None = None) -> list[Current]:
    """Return what each thread is doing: the blocked ones first, the longest first."""
    found = [_current(snapshot, tid, thread) for tid, thread in now_of(snapshot, pid).items()]
    return sorted(found, key=lambda each: (_ORDER[each.state], -each.least_ns, each.tid))


def _current(snapshot: Snapshot, tid: int, thread: ThreadNow) -> Current:
    state, reason, spent_ns, least_ns = _STATES[thread.doing], "", None, 0
    if thread.call:
        wait = Wait(thread.object, thread.call)
        if thread.waits:
            judgement = judge_of(snapshot)(wait)
            state, reason = judgement.state, judgement.reason
        if thread.since_ns is not None:
            least_ns = spent_ns = max(snapshot.sums.now.at_ns - thread.since_ns, 0)
        elif tid in snapshot.sums.threads:
            # It is the first call of its thread that the trace knows, so it is all of this wait.
            least_ns = snapshot.sums.threads[tid].times.waiting.get(wait, 0)
    info = info_of(snapshot, thread.object)
    return Current(tid, thread, state, reason, info, spent_ns, least_ns)
