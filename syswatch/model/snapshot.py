"""A snapshot: everything that views show at one time, immutable."""

from collections.abc import Mapping
from functools import reduce
from typing import Self

import attrs

from syswatch.base.classes import frozen

from .calls import CallTally
from .catalog import Category, category_of
from .delta import Calls, Delta
from .messages import Ended, Started
from .preferences import Preferences
from .pushes import PushState
from .recording import RecordingState
from .times import add_ns

_PERCENTILES = (0.50, 0.95, 0.99)
# From this share of failed calls on, all views show a call as failing.
MOSTLY_FAILING = 0.5


@frozen
class CallStat:
    """One system call as every view shows it."""

    name: str
    category: Category
    tally: CallTally
    p50_ns: int
    p95_ns: int
    p99_ns: int
    errors_60s: int
    rate: float
    # What it cost; 0 in the rows of a snapshot.  The waits in progress are included, so a call that
    # has never returned may cost most.
    working_ns: int = 0
    ready_ns: int = 0
    blocked_ns: int = 0
    idle_ns: int = 0
    in_progress: int = 0
    in_progress_ns: int = 0

    @classmethod
    def of(cls, name: str, tally: CallTally, errors_60s: int = 0, rate: float = 0) -> Self:
        """Return the row of a tally."""
        p50, p95, p99 = tally.histogram.percentiles(_PERCENTILES, tally.min_ns, tally.max_ns)
        return cls(name, category_of(name), tally, p50, p95, p99, errors_60s, rate)

    @property
    def total_ns(self) -> int:
        """The time in this call, waits in progress included."""
        return add_ns(self.tally.total_ns, self.in_progress_ns)

    @property
    def waiting_ns(self) -> int:
        """The time waiting, calls in progress included."""
        return add_ns(self.blocked_ns, self.idle_ns)

    @property
    def not_idle_ns(self) -> int:
        """The time in this call that was not idle, calls in progress included."""
        return add_ns(self.working_ns + self.ready_ns, self.blocked_ns)

    @property
    def error_share(self) -> float:
        """The share of the calls that failed, from 0 to 1."""
        return self.tally.errors / self.tally.count if self.tally.count else 0.0

    @property
    def is_mostly_failing(self) -> bool:
        """Return whether so many of the calls fail that views highlight it."""
        return self.error_share >= MOSTLY_FAILING


@frozen
class Snapshot:
    """The state of a session at `now_ns` of trace time, which is None if the trace has no clock."""

    now_ns: int | None
    source: Started
    calls: tuple[CallStat, ...]
    sums: Delta
    rate: float
    elapsed_ns: int
    done: bool
    end: Ended
    trouble: str
    backlog: int
    # Calls per second of each group.
    group_rates: Mapping[str, float] = attrs.field(factory=dict)
    preferences: Preferences = attrs.field(factory=Preferences)
    # What has been recorded of the trace.
    recordings: tuple[RecordingState, ...] = ()
    # What has been pushed to a collector.
    pushes: tuple[PushState, ...] = ()
    # The whole, if this is the part of it in a range of time.
    part_of: "Snapshot | None" = None
    # Whether all numbers of a part are those of the range, as in a recording of every call.
    is_exact_part: bool = False
    # How much of the end of that range is missing, because it is not recorded yet.
    unrecorded_ns: int = 0

    @property
    def whole(self) -> "Snapshot":
        """The snapshot without a limit to a range of time."""
        return self.part_of or self

    @property
    def total(self) -> int:
        """The number of calls."""
        return sum(call.tally.count for call in self.calls)

    @property
    def errors(self) -> int:
        """The number of failed calls."""
        return sum(call.tally.errors for call in self.calls)

    @property
    def total_ns(self) -> int:
        """The time in all calls."""
        return reduce(add_ns, (call.tally.total_ns for call in self.calls), 0)

    @property
    def is_exact(self) -> bool:
        """Return whether no data was lost and the trace was not cut short."""
        return not self.trouble and self.sums.ledger.is_lossless

    @property
    def has_begun(self) -> bool:
        """Return whether the trace has started, even if the program has made no calls."""
        return bool(self.total or (self.source.backend and not self.trouble))

    @property
    def is_ready(self) -> bool:
        """Return whether the tracer has started, whatever came of it."""
        return bool(self.source.backend)

    @property
    def is_of_log(self) -> bool:
        """Return whether a log is read, rather than a program traced."""
        return self.source.total_bytes is not None or bool(self.sums.reading.lines)

    @property
    def part_read(self) -> float | None:
        """The share of a log that has been read, from 0 to 1, or None if its size is unknown."""
        total = self.source.total_bytes
        return min(self.sums.reading.bytes / total, 1.0) if total else None

    def call(self, name: str) -> CallStat | None:
        """Return the row of a call, or None if it was not made."""
        return next((call for call in self.calls if call.name == name), None)


@frozen
class CategoryTally:
    """The totals of one category."""

    count: int = 0
    errors: int = 0
    total_ns: int = 0


def categories(calls: tuple[CallStat, ...]) -> Mapping[Category, CategoryTally]:
    """Sum the calls by category, in the order of the categories."""
    sums = dict.fromkeys(Category, CategoryTally())
    for call in calls:
        before, tally = sums[call.category], call.tally
        sums[call.category] = CategoryTally(
            before.count + tally.count,
            before.errors + tally.errors,
            add_ns(before.total_ns, tally.total_ns),
        )
    return {category: total for category, total in sums.items() if total.count}


def call_stats(
    calls: Calls,
    errors_60s: Mapping[str, int],
    rates: Mapping[str, float],
) -> tuple[CallStat, ...]:
    """Return the table of calls, the commonest first."""
    stats = (
        CallStat.of(name, tally, errors_60s=errors_60s.get(name, 0), rate=rates.get(name, 0.0))
        for name, tally in calls.items()
    )
    return tuple(sorted(stats, key=lambda call: (-call.tally.count, call.name)))
