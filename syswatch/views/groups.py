"""The groups of processes: what each did, and which one did most."""

import enum
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from syswatch.base.classes import frozen
from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.groups import OTHER_GROUPS, OTHERS, GroupInfo, GroupKind, by_group
from syswatch.model.histogram import Histogram
from syswatch.model.snapshot import Snapshot
from syswatch.model.times import LONGEST_NS

from .formatting import count, duration, plural, share

_PERCENTILES = (0.50, 0.95, 0.99)
_NO_TIMES = Histogram()


class GroupSort(enum.Enum):
    """The order of groups."""

    CALLS = "calls"
    ERRORS = "errors"
    TIME = "time"
    WORKING = "working"
    WAITING = "waiting"
    RATE = "rate"
    NAME = "name"


@frozen
class GroupStat:
    """One group as every view shows it."""

    key: str
    info: GroupInfo
    sums: Sums
    rate: float
    # Of the calls of all groups.
    share: float
    p50_ns: int
    p95_ns: int
    p99_ns: int

    @property
    def is_others(self) -> bool:
        """Return whether it stands for the groups beyond the limit."""
        return self.key == OTHER_GROUPS

    @property
    def title(self) -> str:
        """Return the name with the kind of group."""
        if self.info.kind is GroupKind.OTHER:
            return self.info.name
        if self.info.kind is GroupKind.CGROUP:
            return f"control group {self.info.name}"
        return f"{self.info.name} ({self.info.kind.value})"


_ORDERS: Mapping[GroupSort, Callable[[GroupStat], Any]] = {
    GroupSort.CALLS: lambda stat: -stat.sums.count,
    GroupSort.ERRORS: lambda stat: (-stat.sums.errors, -stat.sums.count),
    GroupSort.TIME: lambda stat: -stat.sums.total_ns,
    GroupSort.WORKING: lambda stat: -stat.sums.working_ns,
    GroupSort.WAITING: lambda stat: -stat.sums.waiting_ns,
    GroupSort.RATE: lambda stat: (-stat.rate, -stat.sums.count),
    GroupSort.NAME: lambda stat: stat.info.name,
}


def group_stats(snapshot: Snapshot, sort: GroupSort = GroupSort.CALLS) -> list[GroupStat]:
    """Return all groups in an order; the one that stands for others comes last."""
    total, order = grouped_total(snapshot), _ORDERS[sort]
    stats = (
        _stat(snapshot, key, sums, total) for key, sums in by_group(snapshot.sums.groups).items()
    )
    return sorted(stats, key=lambda stat: (stat.is_others, order(stat), stat.key))


def group_stat(snapshot: Snapshot, key: str) -> GroupStat | None:
    """Return a group, or None if it has made no calls."""
    sums = calls_of_group(snapshot, key).values()
    return _stat(snapshot, key, sum(sums, NO_SUMS), grouped_total(snapshot)) if sums else None


def grouped_total(snapshot: Snapshot) -> int:
    """
    Return the calls of all groups.

    Until the trace ends, it may be behind the total of all calls: the tracer reads the groups once
    a second, after the calls, and the calls more often.  What a container does is held back until
    its runtime has told the name.
    """
    return sum(sums.count for sums in snapshot.sums.groups.values())


def calls_of_group(snapshot: Snapshot, key: str) -> dict[str, Sums]:
    """Return the calls of a group, the commonest first."""
    rows: dict[str, Sums] = defaultdict(Sums)
    for each, sums in snapshot.sums.groups.items():
        if each.group == key:
            rows[each.call] += sums
    return dict(sorted(rows.items(), key=lambda row: (-row[1].count, row[0])))


def group_sentence(snapshot: Snapshot) -> str:
    """
    Return which group made most of the calls, and which one spent the most time working in them.

    The result is empty if groups are not told apart.  Waiting does not count, because most of it is
    idle.
    """
    rows = group_stats(snapshot)
    stats = [stat for stat in rows if not stat.is_others]
    if not stats:
        return ""
    first, total = stats[0], grouped_total(snapshot)
    more = "more than " if len(stats) < len(rows) else ""
    calls = f"{count(total)} calls" if total != 1 else "1 call"
    return (
        f"{first.title} made {share(first.share)} of {calls}{_longest_working(snapshot, stats)}; "
        f"{more}{plural(len(stats), 'group')} made calls."
    )


def _longest_working(snapshot: Snapshot, stats: Sequence[GroupStat]) -> str:
    """Return who worked longest, after the first group; nothing if durations are not known."""
    longest = max(stats, key=lambda stat: stat.sums.working_ns)
    spent_ns = longest.sums.working_ns
    if not spent_ns:
        return ""
    part = share(spent_ns / sum(sums.working_ns for sums in snapshot.sums.groups.values()))
    who = " and" if longest is stats[0] else f"; {longest.title}"
    return f"{who} spent the most time working in them, {duration(spent_ns)} ({part})"


def _stat(snapshot: Snapshot, key: str, sums: Sums, total: int) -> GroupStat:
    times = snapshot.sums.group_times.get(key, _NO_TIMES)
    return GroupStat(
        key,
        OTHERS if key == OTHER_GROUPS else snapshot.sums.group_infos.get(key, GroupInfo(name=key)),
        sums,
        snapshot.group_rates.get(key, 0.0),
        sums.count / total if total else 0.0,
        *times.percentiles(_PERCENTILES, 0, LONGEST_NS),
    )
