"""A snapshot: everything a view may show, of one moment, unchanging."""

from collections.abc import Mapping
from functools import reduce
from typing import Self

import attrs

from .calls import CallTally
from .catalog import Category, category_of
from .delta import Calls, Delta
from .messages import Ended, Started
from .times import add_ns

_PERCENTILES = (0.50, 0.95, 0.99)
# From this share of failed calls on, every view shows a call as failing.
MOSTLY_FAILING = 0.5


@attrs.frozen
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

    @classmethod
    def of(cls, name: str, tally: CallTally, errors_60s: int = 0, rate: float = 0) -> Self:
        """Derive what is shown from what is summed."""
        p50, p95, p99 = tally.histogram.percentiles(_PERCENTILES, tally.min_ns, tally.max_ns)
        return cls(name, category_of(name), tally, p50, p95, p99, errors_60s, rate)

    @property
    def error_share(self) -> float:
        """The part of the calls that failed, from 0 to 1."""
        return self.tally.errors / self.tally.count if self.tally.count else 0.0

    @property
    def is_mostly_failing(self) -> bool:
        """Return whether so many of the calls fail that views highlight it."""
        return self.error_share >= MOSTLY_FAILING


@attrs.frozen
class Snapshot:
    """The state of a session at `now_ns` of trace time; None: the trace has no clock."""

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

    @property
    def total(self) -> int:
        """All calls."""
        return sum(call.tally.count for call in self.calls)

    @property
    def errors(self) -> int:
        """All failed calls."""
        return sum(call.tally.errors for call in self.calls)

    @property
    def total_ns(self) -> int:
        """All time in system calls."""
        return reduce(add_ns, (call.tally.total_ns for call in self.calls), 0)

    @property
    def is_exact(self) -> bool:
        """Return whether the numbers hold all that happened: nothing was lost or cut short."""
        return not self.trouble and self.sums.ledger.is_lossless

    @property
    def has_begun(self) -> bool:
        """Return whether there was something to watch, even if it made no calls."""
        return bool(self.total or (self.source.backend and not self.trouble))

    @property
    def is_of_log(self) -> bool:
        """Return whether a log is read, rather than a program traced."""
        return self.source.total_bytes is not None or bool(self.sums.reading.lines)

    @property
    def part_read(self) -> float | None:
        """How much of a log is read, from 0 to 1, where its size is known."""
        total = self.source.total_bytes
        return min(self.sums.reading.bytes / total, 1.0) if total else None

    def call(self, name: str) -> CallStat | None:
        """Find one system call by name."""
        return next((call for call in self.calls if call.name == name), None)


@attrs.frozen
class CategoryTally:
    """The sums over one category."""

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
