"""
The verdict: one sentence on where the time went.

It names the largest states, and for the waits within work what was waited for.  Shares are of the
busy time, because what a program waits for while it has no work does not make it slow; if it is
nearly always idle, the sentence begins with that.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import OTHER_THREADS, ThreadTimes, Wait
from syswatch.views.formatting import plural

from .budget import Budget, budget
from .calls import call_costs
from .idle import judge_of
from .phrases import about, of_wall, part_of, percent
from .processes import main_process
from .scope import number_of_threads, threads_of
from .states import TimeState
from .waits import Target, Waits, main_waits, targets, waits_of

# From this share of idle time on, it is mentioned; from the other on, before everything else.
_SOME = 0.05
_NEARLY_ALL = 0.9
# States with a smaller share are left out, unless they are the largest.
_MENTIONED = 0.1
_MOST_STATES = 3
# What threads do apart from waiting for each other explains those waits if it takes this share of
# the elapsed time.
_EXPLAINS = 0.5
# If the threads together had little more time than one, they ran one after the other.
_ONE_AT_A_TIME = 1.05
_FOR_EACH_OTHER = "waiting for each other"
_BY_PTRACE = "stopped, mostly by ptrace"
_BY_JOB_CONTROL = "stopped by job control"


def verdict(snapshot: Snapshot, pid: int | None = None) -> str:
    """Return where the time of all threads, or of those of one process, went."""
    spent = budget(snapshot, pid)
    if spent.wall_ns:
        return _with_loss(snapshot, _Sentence(snapshot, pid, spent).text())
    if snapshot.part_of is not None:
        return "where the time of this range went is not known"
    if spent.note:
        made = snapshot.total if pid is None else _calls_by(snapshot, pid)
        calls = plural(made, "call")
        return f"{calls}; where the time went is not known: {spent.note}"
    if pid is not None and snapshot.total:
        return "where the time of this process went is not known"
    return no_calls(snapshot) if snapshot.done else f"{no_calls(snapshot)} yet"


def no_calls(snapshot: Snapshot, *, has_begun: bool = False) -> str:
    """Return what to say of a trace in which no call returned: a log may show where one began."""
    has_begun |= bool(snapshot.sums.reading.halves)
    return "no system call returned" if has_begun else "no system calls"


def _calls_by(snapshot: Snapshot, pid: int) -> int:
    return sum(tally.count for tally in snapshot.sums.by_process.get(pid, {}).values())


def _with_loss(snapshot: Snapshot, sentence: str) -> str:
    return (
        sentence if snapshot.sums.ledger.is_lossless else f"{sentence} (incomplete: data was lost)"
    )


def _no_words() -> Iterable[str]:
    return ()


@frozen
class _Part:
    """A part of the busy time, with what explains it."""

    spent_ns: int
    phrase: str
    explain: Callable[[], Iterable[str]] = _no_words


def _largest_first(parts: Iterable[_Part]) -> list[_Part]:
    return sorted(parts, key=lambda part: -part.spent_ns)


@frozen
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
        if wall_ns <= self._elapsed_ns * _ONE_AT_A_TIME:
            return of_wall(wall_ns)
        number = number_of_threads(self._snapshot, self._pid)
        return f"{of_wall(self._elapsed_ns)} ({of_wall(wall_ns)} in {number})"

    @property
    def _elapsed_ns(self) -> int:
        if self._snapshot.is_exact_part:
            # What a call that began earlier spends in a range is an estimate, and may be more.
            return self._snapshot.elapsed_ns
        threads = threads_of(self._snapshot, self._pid)
        # The row of very many threads is not the time of one.
        walls = (each.times.wall_ns for tid, each in threads.items() if tid != OTHER_THREADS)
        return max(self._snapshot.elapsed_ns, max(walls, default=0))

    def _of(self, spent_ns: int) -> str:
        return part_of(spent_ns, self._budget.wall_ns)

    def _states(self) -> str:
        """Return the largest states with their shares of the busy time, and what explains them."""
        least_ns = _MENTIONED * self._budget.busy_ns
        first, *others = self._parts()
        others = [part for part in others if part.spent_ns >= max(least_ns, 1)]
        named = [first, *others[: _MOST_STATES - 1]]
        return "; ".join(map(self._part, named))

    def _parts(self) -> list[_Part]:
        """
        Return the states with the largest first, and last what other parts explain.

        That is waiting for what is traced as well, and with ptrace the time that it takes itself.
        """
        states = [state for state in TimeState if state is not TimeState.IDLE]
        spent = {state: self._budget.in_state(state) for state in states}
        inside = [] if self._pid else targets(self._waits(), inside=True)
        inside_ns = min(sum(each.spent_ns for each in inside), spent[TimeState.BLOCKED])
        spent[TimeState.BLOCKED] -= inside_ns
        suspended_ns = min(self._suspended_ns, spent[TimeState.STOPPED])
        spent[TimeState.STOPPED] -= suspended_ns
        by_ptrace_ns = spent.pop(TimeState.STOPPED) if self._is_ptrace else 0
        parts = [
            _Part(spent_ns, self._phrase(state), partial(self._explain, state))
            for state, spent_ns in spent.items()
        ]
        parts.append(_Part(suspended_ns, _BY_JOB_CONTROL))
        for_each_other = _Part(inside_ns, _FOR_EACH_OTHER, partial(self._inside, inside))
        by_ptrace = _Part(by_ptrace_ns, self._phrase(TimeState.STOPPED))
        # The time that ptrace takes is spread over all that the threads did.
        untraced = 1 - by_ptrace_ns / (self._budget.busy_ns or 1)
        if sum(part.spent_ns for part in parts) < _EXPLAINS * self._elapsed_ns * untraced:
            return [*_largest_first([*parts, for_each_other]), by_ptrace]
        return [*_largest_first(parts), *_largest_first([for_each_other, by_ptrace])]

    @property
    def _suspended_ns(self) -> int:
        threads = threads_of(self._snapshot, self._pid).values()
        return sum(each.times.suspended_ns for each in threads)

    @property
    def _is_ptrace(self) -> bool:
        return self._snapshot.source.backend == "ptrace"

    def _part(self, part: _Part) -> str:
        share = self._share(part.spent_ns / (self._budget.busy_ns or 1))
        return ", ".join((f"{share} {part.phrase}", *part.explain()))

    def _share(self, share: float) -> str:
        return about(share) if self._budget.is_estimated else percent(share)

    def _phrase(self, state: TimeState) -> str:
        phrase = state.texts(calls_left_out=self._budget.calls_left_out).phrase
        if phrase != state.phrase:
            return phrase
        if state is TimeState.STOPPED and self._is_ptrace:
            return _BY_PTRACE
        # What a thread did between two calls is not known from the calls alone.
        is_guess = state is TimeState.USER and self._budget.is_estimated
        return "outside of calls" if is_guess else phrase

    def _explain(self, state: TimeState) -> Iterator[str]:
        match state:
            case TimeState.BLOCKED:
                outside = targets(self._waits(), inside=None if self._pid else False)
                yield from main_waits(outside, self._budget.wall_ns)
            case TimeState.WORKING:
                yield from self._main_call()
            case TimeState.USER:
                yield from self._main_process(lambda times: times.user_ns)
            case TimeState.READY:
                yield from self._main_process(lambda times: times.ready_ns)

    def _inside(self, inside: Sequence[Target]) -> Iterator[str]:
        """Yield the longest wait for what is traced as well."""
        yield from islice(main_waits(inside, self._budget.wall_ns), 1)

    def _main_process(self, part: Callable[[ThreadTimes], int]) -> Iterator[str]:
        """Yield the command or process with most of a part of the time, if there are several."""
        main = main_process(self._snapshot, self._pid, part)
        if main is not None:
            is_all = main.spent_ns == main.whole_ns
            yield f"{'all of it' if is_all else f'{self._of(main.spent_ns)} of it'} in {main.name}"

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
        """
        Return why most of the idle time was idle.

        What main threads wait for tells more than that the others have no work.
        """
        threads = threads_of(self._snapshot, self._pid).items()
        main = self._idle_reasons(
            wait
            for tid, tally in threads
            if tid == tally.pid
            for wait in tally.times.waiting.items()
        )
        is_enough = sum(main.values()) >= _EXPLAINS * self._elapsed_ns
        reasons = main if is_enough and main else self._idle_reasons(self._waits().spent.items())
        return max(reasons, key=lambda reason: reasons[reason])

    def _idle_reasons(self, waits: Iterable[tuple[Wait, int]]) -> Mapping[str, int]:
        judge = judge_of(self._snapshot)
        reasons: dict[str, int] = {}
        for wait, spent_ns in waits:
            judgement = judge(wait)
            if judgement.state is TimeState.IDLE and spent_ns:
                reasons[judgement.reason] = reasons.get(judgement.reason, 0) + spent_ns
        return reasons
