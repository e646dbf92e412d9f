"""
The verdict: one sentence on where the time went.

It names the largest states, and for the waits within work what was waited for.  Shares are of the
busy time, because what a program waits for while it has no work does not make it slow; if it is
nearly always idle, the sentence begins with that.
"""

from collections.abc import Iterator

import attrs

from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import plural

from .budget import Budget, budget
from .calls import call_costs
from .idle import judge_of
from .phrases import about, of_wall, part_of, percent
from .scope import threads_of
from .states import TimeState
from .waits import Waits, main_waits, waits_of

# From this share of idle time on, it is mentioned; from the other on, before everything else.
_SOME = 0.05
_NEARLY_ALL = 0.9
# States with a smaller share are left out, unless they are the largest.
_MENTIONED = 0.1
_MOST_STATES = 3
# If the threads together had little more time than one, they ran one after the other.
_ONE_AT_A_TIME = 1.05


def verdict(snapshot: Snapshot, pid: int | None = None) -> str:
    """Return where the time of all threads, or of those of one process, went."""
    spent = budget(snapshot, pid)
    if spent.wall_ns:
        return _with_loss(snapshot, _Sentence(snapshot, pid, spent).text())
    if spent.note:
        calls = plural(snapshot.total, "call")
        return f"{calls}; where the time went is not known: {spent.note}"
    if pid is not None and snapshot.total:
        return "where the time of this process went is not known"
    return "no system calls" if snapshot.done else "no system calls yet"


def _with_loss(snapshot: Snapshot, sentence: str) -> str:
    return (
        sentence if snapshot.sums.ledger.is_lossless else f"{sentence} (incomplete: data was lost)"
    )


@attrs.frozen
class _Sentence:
    """The verdict on a time budget that is not empty."""

    _snapshot: Snapshot
    _pid: int | None
    _budget: Budget

    def text(self) -> str:
        """Return the sentence."""
        idle = self._budget.in_state(TimeState.IDLE) / self._budget.wall_ns
        if idle >= _NEARLY_ALL:
            rest = f"; busy {self._of(self._budget.busy_ns)}: {self._states()}"
            reason = self._idle_reason()
            beginning = f"idle {self._share(idle)} of {self._wall()}: {reason}"
            return beginning + (rest if self._budget.busy_ns else "")
        if idle < _SOME:
            return f"{self._wall()}: {self._states()}"
        idle_ns = self._budget.in_state(TimeState.IDLE)
        busy = f"{self._wall()}, busy {self._of(self._budget.busy_ns)}: {self._states()}"
        return f"{busy}; idle {self._of(idle_ns)}: {self._idle_reason()}"

    def _wall(self) -> str:
        """Return the elapsed time, and that of all threads if there are several."""
        wall_ns, threads = self._budget.wall_ns, self._budget.threads
        if threads <= 1:
            return of_wall(wall_ns)
        walls = (each.times.wall_ns for each in threads_of(self._snapshot, self._pid).values())
        elapsed_ns = max(self._snapshot.elapsed_ns, max(walls, default=0))
        if wall_ns <= elapsed_ns * _ONE_AT_A_TIME:
            return of_wall(wall_ns)
        return f"{of_wall(elapsed_ns)} ({of_wall(wall_ns)} of thread time, {threads:,} threads)"

    def _of(self, spent_ns: int) -> str:
        return part_of(spent_ns, self._budget.wall_ns)

    def _states(self) -> str:
        """Return the largest states with their shares of the busy time, and what explains them."""
        spent = self._budget
        busy_ns = spent.busy_ns or 1
        states = [state for state in TimeState if state is not TimeState.IDLE]
        ranked = sorted(states, key=lambda state: -spent.in_state(state))
        named = [
            state
            for place, state in enumerate(ranked[:_MOST_STATES])
            if not place or spent.in_state(state) >= _MENTIONED * busy_ns
        ]
        return "; ".join(map(self._state, named))

    def _state(self, state: TimeState) -> str:
        share = self._share(self._budget.in_state(state) / (self._budget.busy_ns or 1))
        return ", ".join((f"{share} {self._phrase(state)}", *self._explain(state)))

    def _share(self, share: float) -> str:
        return about(share) if self._budget.is_estimated else percent(share)

    def _phrase(self, state: TimeState) -> str:
        # What a thread did between two calls is not known from the calls alone.
        is_guess = state is TimeState.USER and self._budget.is_estimated
        return "outside of calls" if is_guess else state.phrase

    def _explain(self, state: TimeState) -> Iterator[str]:
        if state is TimeState.BLOCKED:
            yield from main_waits(self._waits(), self._budget.wall_ns)
        if state is TimeState.WORKING:
            yield from self._main_call()

    def _waits(self) -> Waits:
        return waits_of(self._snapshot, self._pid)

    def _main_call(self) -> Iterator[str]:
        """Yield the call that worked longest, if it is a large part."""
        whole_ns = self._budget.in_state(TimeState.WORKING)
        costs = call_costs(self._snapshot, self._pid)
        call = max(costs, key=lambda name: costs[name].sums.working_ns, default="")
        spent_ns = min(costs[call].sums.working_ns, whole_ns) if call else 0
        if spent_ns >= _MENTIONED * whole_ns:
            yield f"{self._of(spent_ns)} of it in {call}"

    def _idle_reason(self) -> str:
        """Return why most of the idle time was idle."""
        judge = judge_of(self._snapshot)
        reasons: dict[str, int] = {}
        for wait, spent_ns in self._waits().spent.items():
            judgement = judge(wait)
            if judgement.state is TimeState.IDLE:
                reasons[judgement.reason] = reasons.get(judgement.reason, 0) + spent_ns
        return max(reasons, key=lambda reason: reasons[reason])
