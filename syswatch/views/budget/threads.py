"""The table of threads: the wall time of each one by state, what it waited for, and its history."""

from collections.abc import Iterable, Mapping

from syswatch.base.classes import frozen
from syswatch.model.now import ThreadNow
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.times import add_ns

from .budget import Parts, parts_of
from .idle import judge_of
from .scope import now_of, threads_of
from .states import TimeState


@frozen
class ThreadWait:
    """What a thread waited for, and whether that was idle."""

    wait: Wait
    spent_ns: int
    state: TimeState
    reason: str


@frozen
class ThreadStat:
    """One thread as every view shows it; `now` is None if it has ended."""

    tid: int
    tally: ThreadTally
    parts: Parts
    now: ThreadNow | None

    def in_state(self, state: TimeState) -> int:
        """Return the time in a state."""
        return sum(spent for key, spent in self.parts.items() if key.state is state)

    @property
    def busy_ns(self) -> int:
        """The time in which it did not wait for work."""
        return sum(self.parts.values()) - self.in_state(TimeState.IDLE)


def threads(snapshot: Snapshot, pid: int | None = None) -> list[ThreadStat]:
    """Return the threads, the busiest first."""
    now = now_of(snapshot, pid)
    found = [
        ThreadStat(tid, tally, parts_of(snapshot, tally.times), now.get(tid))
        for tid, tally in threads_of(snapshot, pid).items()
    ]
    return sorted(found, key=lambda each: (-each.busy_ns, each.tid))


def waits(snapshot: Snapshot, thread: ThreadStat) -> list[ThreadWait]:
    """Return what a thread waited for, the longest first."""
    judge = judge_of(snapshot)
    found = [
        ThreadWait(wait, spent_ns, judge(wait).state, judge(wait).reason)
        for wait, spent_ns in thread.tally.times.waiting.items()
    ]
    return sorted(found, key=lambda each: (-each.spent_ns, each.wait))


@frozen
class LanePoint:
    """An interval of the history of one thread, with the time in each state."""

    at_ms: int
    states: Mapping[TimeState, int]


def lanes(
    snapshot: Snapshot, tids: Iterable[int], since_ms: int = 0
) -> Mapping[int, list[LanePoint]]:
    """Return the history of some threads: the intervals that begin at a time or later."""
    timeline = snapshot.sums.timeline
    found: dict[int, list[LanePoint]] = {tid: [] for tid in tids}
    # Most threads of a long trace have run in few of its intervals.
    for number in sorted(timeline.bins):
        at_ms, threads = number * timeline.bin_ms, timeline.bins[number]
        if at_ms >= since_ms:
            for tid in found.keys() & threads.keys():
                found[tid].append(LanePoint(at_ms, _states(snapshot, threads[tid])))
    return found


def _states(snapshot: Snapshot, times: ThreadTimes) -> Mapping[TimeState, int]:
    states: dict[TimeState, int] = {}
    for key, spent_ns in parts_of(snapshot, times).items():
        states[key.state] = add_ns(states.get(key.state, 0), spent_ns)
    return states
