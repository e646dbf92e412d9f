"""Costs: the sums over some calls, together with the waits in progress."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeVar

from syswatch.base.classes import define, frozen
from syswatch.model.activity import ANY, NO_SUMS, Activity, ActivityKey, Sums
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait
from syswatch.model.times import add_ns

from .idle import judge_of
from .memory import once_per_snapshot
from .scope import activity_of, never_returned, recorded_waits, waiting_now

Key = TypeVar("Key", bound=Hashable)


@frozen
class Costs:
    """
    What some calls cost.

    `sums` covers the calls that have returned.  The time blocked and idle includes the waits in
    progress, of which there are `in_progress`; after the end, those that never returned.
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
    def total_ns(self) -> int:
        """The time in calls, waits in progress included."""
        return add_ns(self.not_idle_ns, self.idle_ns)

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
    return _costs(snapshot, activity_of(snapshot, pid), key, pid, includes)


def costs_by_wait(
    snapshot: Snapshot,
    key: Callable[[ActivityKey], Key],
    pid: int | None = None,
    includes: Callable[[ActivityKey], bool] | None = None,
) -> dict[Key, Costs]:
    """
    Return the costs of all calls, or of some, grouped by a function of their objects and names.

    There are far fewer of these than rows, and views that are shown together share their sums.
    """
    rows = _rows_of_waits(snapshot) if pid is None else _rows(recorded_waits(snapshot, pid))
    return _costs(snapshot, rows, key, pid, includes)


@once_per_snapshot
def _rows_of_waits(snapshot: Snapshot) -> Activity:
    return _rows(recorded_waits(snapshot))


def _rows(waits: Mapping[Wait, Sums]) -> Activity:
    return {ActivityKey(ANY, ANY, *wait): sums for wait, sums in waits.items()}


def keys_of(snapshot: Snapshot, pid: int | None = None) -> Iterator[ActivityKey]:
    """Yield the keys of all rows, and of the waits in progress, which may have no row yet."""
    yield from activity_of(snapshot, pid)
    for key, _ in _waits_in_progress(snapshot, pid):
        yield key


def _costs(
    snapshot: Snapshot,
    rows: Activity,
    key: Callable[[ActivityKey], Key],
    pid: int | None,
    includes: Callable[[ActivityKey], bool] | None,
) -> dict[Key, Costs]:
    # There may be 60 000 rows: numbers are added in place, and values made once for each group.
    totals: dict[Key, _Total] = {}
    judge = judge_of(snapshot)
    for row, sums in rows.items():
        if includes is None or includes(row):
            total = _total(totals, key(row))
            total.add(sums)
            if sums.waiting_ns:
                total.wait(sums.waiting_ns, is_idle=judge.is_idle((row[2], row[3])))
    for row, spent_ns in _waits_in_progress(snapshot, pid):
        if includes is None or includes(row):
            total = _total(totals, key(row))
            total.in_progress += 1
            total.longest_ns = max(total.longest_ns, spent_ns)
            total.wait(spent_ns, is_idle=judge.is_idle((row[2], row[3])))
    return {group: total.costs() for group, total in totals.items()}


def _waits_in_progress(snapshot: Snapshot, pid: int | None) -> Iterator[tuple[ActivityKey, int]]:
    for tid, thread, spent_ns in waiting_now(snapshot, pid):
        yield ActivityKey(thread.pid, tid, thread.object, thread.call), spent_ns
    yield from never_returned(snapshot, pid)


def by_cost(costs: Mapping[Key, Costs]) -> dict[Key, Costs]:
    """Return the groups with the costliest first, idle time apart."""
    ranked = sorted(costs.items(), key=lambda each: (-each[1].not_idle_ns, -each[1].idle_ns))
    return dict(ranked)


@define
class _Total:
    """Costs while they are being added up."""

    count: int = 0
    errors: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    working_ns: int = 0
    waiting_ns: int = 0
    ready_ns: int = 0
    waits: int = 0
    blocked_ns: int = 0
    idle_ns: int = 0
    in_progress: int = 0
    longest_ns: int = 0

    def add(self, sums: Sums) -> None:
        """Add a row, except the time waiting by state."""
        self.count += sums.count
        self.errors += sums.errors
        self.bytes_in += sums.bytes_in
        self.bytes_out += sums.bytes_out
        self.working_ns += sums.working_ns
        self.waiting_ns += sums.waiting_ns
        self.ready_ns += sums.ready_ns
        self.waits += sums.waits

    def wait(self, spent_ns: int, *, is_idle: bool) -> None:
        """Add time waiting."""
        if is_idle:
            self.idle_ns += spent_ns
        else:
            self.blocked_ns += spent_ns

    def costs(self) -> Costs:
        """Return the value."""
        sums = Sums(
            self.count,
            self.errors,
            self.bytes_in,
            self.bytes_out,
            self.working_ns,
            self.waiting_ns,
            self.ready_ns,
            self.waits,
        )
        return Costs(sums, self.blocked_ns, self.idle_ns, self.in_progress, self.longest_ns)


def _total(totals: dict[Key, _Total], group: Key) -> _Total:
    found = totals.get(group)
    if found is None:
        found = totals[group] = _Total()
    return found
