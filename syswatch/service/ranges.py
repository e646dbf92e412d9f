"""The exact picture of any range of time of a recording."""

from collections import OrderedDict

import attrs

from syswatch.base.classes import define
from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.snapshot import Snapshot
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording.questions import FOLD, STATE, Nothing, Range
from syswatch.views.budget.period import Period

from .reader_process import ReaderError, Recording
from .session import ISession

_NS_IN_MS = 1_000_000
# The page asks for the same range again and again; several pages may have one each.
_MOST_KEPT = 8
# The newest segments may lack calls that threads on other CPUs made at the same time.
_SETTLED_NS = 5 * SECOND_NS


@define(eq=False)
class Ranges:
    """Snapshots of ranges, of which the newest are kept."""

    session: ISession
    recording: Recording
    # Whether the recording is still being made.
    grows: bool = False
    _kept: OrderedDict[Range, Delta] = attrs.field(factory=OrderedDict, init=False)

    async def part(self, period: Period) -> Snapshot:
        """
        Return the part of the trace in a range; raise ReaderError if it cannot be read.

        Of a recording that is being made, the whole is returned if it has nothing of the range: the
        trace itself knows a part of the numbers of any range.
        """
        asked = self._range(period)
        if not self.grows:
            return self._snapshot(await self._fold(asked))
        try:
            return await self._recorded(asked)
        except ReaderError:
            return self.session.snapshot

    async def _recorded(self, asked: Range) -> Snapshot:
        """Return the part of a range that is recorded already."""
        state = await self.recording.ask(STATE, Nothing())
        last_ns = min(asked.last_ns, state.complete_to_ns)
        if not state.complete_from_ns <= asked.first_ns < last_ns:
            return self.session.snapshot
        recorded = attrs.evolve(asked, last_ns=last_ns)
        delta = await self._fold(recorded)
        if asked.last_ns > state.complete_to_ns - _SETTLED_NS:
            del self._kept[recorded]
        now_ns = self.session.snapshot.now_ns or last_ns
        return self._snapshot(delta, max(min(asked.last_ns, now_ns) - last_ns, 0))

    async def _fold(self, asked: Range) -> Delta:
        delta = self._kept.get(asked)
        if delta is None:
            delta = await self.recording.ask(FOLD, asked)
            self._keep(asked, delta)
        return delta

    def _range(self, period: Period) -> Range:
        return Range(
            min(period.from_ms * _NS_IN_MS, LONGEST_NS),
            min(period.to_ms * _NS_IN_MS, LONGEST_NS) if period.to_ms else LONGEST_NS,
            per_process=bool(self.session.snapshot.sums.by_process),
        )

    def _keep(self, asked: Range, delta: Delta) -> None:
        self._kept[asked] = delta
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

    def _snapshot(self, delta: Delta, unrecorded_ns: int = 0) -> Snapshot:
        """Return the snapshot of what happened in a range."""
        whole = self.session.snapshot
        aggregator = Aggregator(whole.preferences)
        aggregator.started(whole.source)
        aggregator.add(delta)
        # There is no present rate in a range that is over.
        aggregator.ended(whole.end)
        part = aggregator.snapshot()
        return attrs.evolve(
            part,
            elapsed_ns=_elapsed_ns(part, whole),
            done=whole.done,
            trouble=whole.trouble,
            part_of=whole,
            is_exact_part=True,
            unrecorded_ns=unrecorded_ns,
        )


def _elapsed_ns(part: Snapshot, whole: Snapshot) -> int:
    """Return how long the trace ran in a range: a recording begins before it, with the tracer."""
    if part.now_ns is None or whole.now_ns is None:
        return part.elapsed_ns
    began_ns = max(part.now_ns - part.elapsed_ns, whole.now_ns - whole.elapsed_ns)
    return max(min(part.now_ns, whole.now_ns) - began_ns, 0)
