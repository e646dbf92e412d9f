"""What the ledger counts, as it has grown since it was last read."""

from collections.abc import Mapping

import attrs

from syswatch.base.classes import define
from syswatch.model.calls import CallTally
from syswatch.model.ledger import Ledger

from .increments import Surplus
from .program import Program
from .samples import Shown


@define
class LedgerGrowth:
    """Reads the increments of the ledger."""

    program: Program
    # Processes that have no PID in the namespace of the tracer.
    without_pid: int = attrs.field(default=0, init=False)
    _before: Ledger = attrs.field(factory=Ledger, init=False)
    _untimed: Surplus = attrs.field(factory=Surplus, init=False)
    _not_logged: int = attrs.field(default=0, init=False)

    def take(self, calls: Mapping[str, CallTally], shown: Shown | None) -> Ledger:
        """Return the increments; `calls` are new, and `shown` if the log was read."""
        now, before = self._now(), self._before
        self._before = now
        news = zip(attrs.astuple(now), attrs.astuple(before), strict=True)
        count = sum(tally.count for tally in calls.values())
        timed = sum(tally.timed for tally in calls.values())
        return Ledger(*(value - then for value, then in news)) + Ledger(
            sampled_entries=self._omitted(count, shown),
            untimed_calls=self._untimed.growth(count - timed),
        )

    def _now(self) -> Ledger:
        totals = self.program.totals
        return Ledger(
            lost_events=self.program.misses(),
            untracked_paths=totals.uncounted_paths,
            untracked_processes=totals.crowded + self.without_pid,
            unfollowed_processes=totals.unfollowed,
            untracked_evidence=totals.coarse_evidence,
            unseen_starts=totals.unseen_starts,
        )

    def _omitted(self, count: int, shown: Shown | None) -> int:
        """Return how many calls the log does not include; known when the log is read."""
        self._not_logged += count
        if shown is None:
            return 0
        left_out, self._not_logged = self._not_logged - shown.calls, 0
        return left_out
