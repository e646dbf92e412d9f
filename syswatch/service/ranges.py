"""The exact picture of any range of time of a recording."""

from collections import OrderedDict

import attrs

from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.snapshot import Snapshot
from syswatch.model.times import LONGEST_NS
from syswatch.recording.questions import FOLD, Range
from syswatch.views.budget.period import Period

from .reader_process import Recording
from .session import ISession

_NS_IN_MS = 1_000_000
# The page asks for the same range again and again; several pages may have one each.
_MOST_KEPT = 8


@attrs.define(eq=False)
class Ranges:
    """Snapshots of ranges, of which the newest are kept."""

    session: ISession
    recording: Recording
    _kept: OrderedDict[Period, Delta] = attrs.field(factory=OrderedDict, init=False)

    async def part(self, period: Period) -> Snapshot:
        """Return the part of the trace in a range; raise ReaderError if it cannot be read."""
        delta = self._kept.get(period)
        if delta is None:
            delta = await self.recording.ask(FOLD, self._range(period))
            self._keep(period, delta)
        return _snapshot_of(delta, self.session.snapshot)

    def _range(self, period: Period) -> Range:
        return Range(
            period.from_ms * _NS_IN_MS,
            min(period.to_ms * _NS_IN_MS, LONGEST_NS) if period.to_ms else LONGEST_NS,
            per_process=bool(self.session.snapshot.sums.by_process),
        )

    def _keep(self, period: Period, delta: Delta) -> None:
        self._kept[period] = delta
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)


def _snapshot_of(delta: Delta, whole: Snapshot) -> Snapshot:
    """Return the snapshot of what happened in a range."""
    aggregator = Aggregator(whole.preferences)
    aggregator.started(whole.source)
    aggregator.add(delta)
    aggregator.ended(whole.end)
    return attrs.evolve(
        aggregator.snapshot(), trouble=whole.trouble, part_of=whole, is_exact_part=True
    )
