"""Costs: the sums over some calls, together with the waits in progress."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeVar

import attrs

from syswatch.model.activity import NO_SUMS, ActivityKey, Sums
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait
from syswatch.model.times import add_ns

from .idle import judge_of
from .scope import activity_of, waiting_now
from .states import TimeState

Key = TypeVar("Key", bound=Hashable)


@attrs.frozen
class Costs:
    """
    What some calls cost.

    `sums` covers the calls that have returned.  The time blocked and idle includes the waits in
    progress, of which there are `in_progress`.
    """

    sums: Sums = NO_SUMS
    blocked_ns: int = 0
    idle_ns: int = 0
    in_progress: int = 0
    longest_in_progress_ns: int = 0

    def __add__(self, other: "Costs") -> "Costs":
        """Add the costs of other calls."""
        return Costs(
            self.sums + other.sums,
            add_ns(self.blocked_ns, other.blocked_ns),
            add_ns(self.idle_ns, other.idle_ns),
            self.in_progress + other.in_progress,
            max(self.longest_in_progress_ns, other.longest_in_progress_ns),
        )

    @property
    def waiting_ns(self) -> int:
        """The time waiting, idle or not."""
        return add_ns(self.blocked_ns, self.idle_ns)

    @property
    def not_idle_ns(self) -> int:
        """The time in calls that was not idle."""
        return self.sums.working_ns + self.sums.ready_ns + self.blocked_ns


NO_COSTS = Costs()


def costs_by(
    snapshot: Snapshot,
    key: Callable[[ActivityKey], Key],
    *,
    pid: int | None = None,
    includes: Callable[[ActivityKey], bool] | None = None,
) -> dict[Key, Costs]:
    """Return the costs of all calls, or of some, grouped by a function of their rows."""
    costs: dict[Key, Costs] = {}
    for row, cost in _costs(snapshot, pid):
        if includes is None or includes(row):
            group = key(row)
            costs[group] = costs[group] + cost if group in costs else cost
    return costs


def by_cost(costs: Mapping[Key, Costs]) -> dict[Key, Costs]:
    """Return the groups with the costliest first, idle time apart."""
    ranked = sorted(costs.items(), key=lambda each: (-each[1].not_idle_ns, -each[1].idle_ns))
    return dict(ranked)


def _costs(snapshot: Snapshot, pid: int | None) -> Iterator[tuple[ActivityKey, Costs]]:
    judge = judge_of(snapshot)
    for key, sums in activity_of(snapshot, pid).items():
        is_idle = judge(Wait(key.object, key.call)).state is TimeState.IDLE
        blocked_ns, idle_ns = (0, sums.waiting_ns) if is_idle else (sums.waiting_ns, 0)
        yield key, Costs(sums, blocked_ns, idle_ns)
    for tid, thread, spent_ns in waiting_now(snapshot, pid):
        is_idle = judge(Wait(thread.object, thread.call)).state is TimeState.IDLE
        blocked_ns, idle_ns = (0, spent_ns) if is_idle else (spent_ns, 0)
        key = ActivityKey(thread.pid, tid, thread.object, thread.call)
        yield key, Costs(NO_SUMS, blocked_ns, idle_ns, 1, spent_ns)
