"""
The wall time of one thread by state.

Each reading finds sums that only grow, and a call that may be in progress.  What is reported is the
difference to what was reported before, so that nothing is counted twice and what one reading finds
too early or too late is right in the next one.
"""

from collections.abc import Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.threads import ThreadTimes, Wait

from .activity import Growth
from .progress import InProgress
from .thread_records import ThreadRecord

_STATES = ("user_ns", "working_ns", "ready_ns", "stopped_ns")


class Progress(NamedTuple):
    """A call in progress: what it waits for, when it began, and its time by state so far."""

    wait: Wait
    began_ns: int
    working_ns: int = 0
    waiting_ns: int = 0


class Credit(NamedTuple):
    """
    What to add to the times of a thread.

    A call may turn out to have waited for another object than it seemed while it was in progress,
    and time in the thread's own code to belong to a call that was found later: `exact` moves that
    time, so that it may have negative parts, but all sums are exact.  `steady` has none.
    """

    exact: ThreadTimes
    steady: ThreadTimes


def _present(record: ThreadRecord, call: InProgress | None) -> str | Wait:
    """Return the state that a thread is in, as far as it is known."""
    if not record.is_off:
        return "working_ns" if call else "user_ns"
    if record.was_preempted:
        return "ready_ns"
    return call.wait if call else "stopped_ns"


def _without_moves(waiting: Mapping[Wait, int]) -> Mapping[Wait, int]:
    """Return the waits with no negative ones, but the same sum if possible."""
    moved_ns = -sum(spent_ns for spent_ns in waiting.values() if spent_ns < 0)
    rest = {wait: spent_ns for wait, spent_ns in waiting.items() if spent_ns > 0}
    for wait in sorted(rest, key=lambda wait: -rest[wait]) if moved_ns else ():
        taken_ns = min(moved_ns, rest[wait])
        moved_ns -= taken_ns
        rest[wait] -= taken_ns
    return rest


def _explains(times: ThreadTimes, span_ns: int) -> bool:
    """Return whether times add up to a span and have no negative parts, as nearly always."""
    parts = (times.user_ns, times.working_ns, times.ready_ns, times.stopped_ns)
    waits = times.waiting.values()
    return sum(parts) + sum(waits) == span_ns and min(parts) >= 0 <= min(waits, default=0)


@define
class _Smoother:
    """
    Divides each span of time among the states of a thread.

    What one reading finds too much of, the next ones get less of; what it does not explain is taken
    to be the present state.
    """

    _rest: dict[str | Wait, int] = attrs.field(factory=dict, init=False)

    def divide(self, times: ThreadTimes, span_ns: int, present: str | Wait) -> ThreadTimes:
        """Return times that add up to a span and have no negative parts."""
        if not self._rest and _explains(times, span_ns):
            return times
        for state in _STATES:
            self._add(state, getattr(times, state))
        for wait, spent_ns in _without_moves(times.waiting).items():
            self._add(wait, spent_ns)
        given: dict[str | Wait, int] = {}
        for part, spent_ns in sorted(self._rest.items(), key=lambda item: -item[1]):
            given_ns = min(spent_ns, span_ns)
            if given_ns <= 0:
                break
            span_ns -= given_ns
            given[part] = given_ns
        if span_ns > 0:
            given[present] = given.get(present, 0) + span_ns
        for part, given_ns in given.items():
            self._add(part, -given_ns)
        return ThreadTimes(
            **{part: spent_ns for part, spent_ns in given.items() if isinstance(part, str)},
            waiting={part: spent for part, spent in given.items() if isinstance(part, Wait)},
        )

    def _add(self, part: str | Wait, spent_ns: int) -> None:
        rest_ns = self._rest.get(part, 0) + spent_ns
        if rest_ns:
            self._rest[part] = rest_ns
        else:
            self._rest.pop(part, None)


@define
class Account:
    """What is known of one thread, and what of it has been reported."""

    pid: int
    tid: int = 0
    comm: str = ""
    until_ns: int = 0
    calls: int = 0
    errors: int = 0
    # The sums of all calls that have ended.
    _called_ns: int = attrs.field(default=0, init=False)
    _waited_ns: int = attrs.field(default=0, init=False)
    _delayed_ns: int = attrs.field(default=0, init=False)
    # The waits of calls that have ended since the last report.
    _ended_waits: dict[Wait, int] = attrs.field(factory=dict, init=False)
    _ended_calls: set[str] = attrs.field(factory=set, init=False)
    # A call that was reported while it was in progress, and those of which the end is not counted.
    _progress: Progress | None = attrs.field(default=None, init=False)
    _owed: dict[Wait, int] = attrs.field(factory=dict, init=False)
    _first: Wait | None = attrs.field(default=None, init=False)
    _counted_first: bool = attrs.field(default=False, init=False)
    # When it was last credited: how often it had been switched out; and whether it has made calls.
    _switches: int = attrs.field(default=-1, init=False)
    _has_new_calls: bool = attrs.field(default=False, init=False)
    _reported: dict[str, int] = attrs.field(factory=dict, init=False)
    _smoother: _Smoother = attrs.field(factory=_Smoother, init=False)

    def add(self, wait: Wait, growth: Growth) -> None:
        """Add calls that have ended."""
        self.calls += growth.calls
        self.errors += growth.errors
        self._called_ns += growth.total_ns
        self._waited_ns += growth.waiting_ns
        self._delayed_ns += growth.ready_ns
        if growth.waiting_ns:
            self._ended_waits[wait] = self._ended_waits.get(wait, 0) + growth.waiting_ns
        if growth.calls:
            self._ended_calls.add(wait.call)
        self._has_new_calls = True

    def is_blocked(self, record: ThreadRecord) -> bool:
        """Return whether the thread has been waiting in one call since the last report."""
        is_same = record.is_off and record.switches == self._switches
        return is_same and self._progress is not None and not self._has_new_calls

    def prolong(self, at_ns: int) -> ThreadTimes:
        """Return the time since the last report of a thread that has been blocked since."""
        if self._progress is None:
            return ThreadTimes()
        spent_ns = at_ns - self.until_ns
        self.until_ns = at_ns
        waiting_ns = self._progress.waiting_ns + spent_ns
        self._progress = self._progress._replace(waiting_ns=waiting_ns)
        return ThreadTimes(waiting={self._progress.wait: spent_ns})

    def take_counts(self) -> tuple[int, int]:
        """Return calls and errors since the last time."""
        counts = self.calls, self.errors
        self.calls = self.errors = 0
        return counts

    def credit(self, record: ThreadRecord, at_ns: int, call: InProgress | None) -> Credit:
        """Return the times since the last report, with a call in progress."""
        until_ns = record.ended_ns if record.has_ended and record.ended_ns else at_ns
        off_ns, ready_ns = record.off_ns, record.ready_ns
        if record.is_off:
            off_ns += max(until_ns - record.off_since_ns, 0)
        if record.was_preempted:
            ready_ns += max(until_ns - record.off_since_ns, 0)
        self._count_first(record)
        progress = self._now_in(record, until_ns, call, off_ns - ready_ns)
        waiting = self._waiting(progress)
        waited_ns = self._waited_ns + sum(self._owed.values())
        working_ns = self._called_ns - self._waited_ns - self._delayed_ns
        if progress:
            working_ns += progress.working_ns
            waited_ns += progress.waiting_ns
        times = ThreadTimes(
            user_ns=self._grow("user", until_ns - record.born_ns - off_ns - working_ns),
            working_ns=self._grow("working", working_ns),
            ready_ns=self._grow("ready", ready_ns),
            stopped_ns=self._grow("stopped", off_ns - ready_ns - waited_ns),
            waiting=waiting,
        )
        self._switches, self._has_new_calls = record.switches, False
        present = _present(record, call)
        span_ns = until_ns - (self.until_ns or record.born_ns)
        self.until_ns = until_ns
        return Credit(times, self._smoother.divide(times, span_ns, present))

    def _grow(self, state: str, total_ns: int) -> int:
        """Return by how much the time in a state has changed; it is never less than nothing."""
        before = self._reported.get(state, 0)
        self._reported[state] = max(total_ns, 0)
        return self._reported[state] - before

    def _count_first(self, record: ThreadRecord) -> None:
        """Add the call in which the thread was found; the program counts it without a time."""
        if self._counted_first or not record.first_exit_ns:
            return
        self._counted_first = True
        self._called_ns += max(record.first_exit_ns - record.born_ns, 0)
        self._waited_ns += record.first_off_ns
        if self._first is not None:
            self._ended_waits[self._first] = (
                self._ended_waits.get(self._first, 0) + record.first_off_ns
            )
            self._ended_calls.add(self._first.call)

    def _now_in(
        self,
        record: ThreadRecord,
        until_ns: int,
        call: InProgress | None,
        most_ns: int,
    ) -> Progress | None:
        if call is None:
            return None
        began_ns = max(call.began_ns, record.born_ns)
        call_off_ns = record.call_off_ns
        if not call.began_ns:
            self._first = call.wait
            call_off_ns = record.off_ns
        if record.is_off:
            call_off_ns += max(until_ns - record.off_since_ns, 0)
        # Some of it may be time without a free CPU, which the call has not been told yet.
        unknown_ns = most_ns - self._waited_ns - sum(self._owed.values())
        waiting_ns = max(min(call_off_ns, unknown_ns), 0)
        return Progress(call.wait, began_ns, max(until_ns - began_ns - call_off_ns, 0), waiting_ns)

    def _waiting(self, progress: Progress | None) -> dict[Wait, int]:
        """Return the growth of the waits, with the call in progress."""
        before, self._progress = self._progress, progress
        waiting, self._ended_waits = self._ended_waits, {}
        if before is not None and (progress is None or before.began_ns != progress.began_ns):
            _add(self._owed, before.wait, before.waiting_ns)
            before = None
        for wait in [wait for wait in self._owed if wait.call in self._ended_calls]:
            _add(waiting, wait, -self._owed.pop(wait))
        self._ended_calls.clear()
        if progress is not None:
            reported_ns = before.waiting_ns if before else 0
            if before is not None and before.wait != progress.wait:
                _add(waiting, before.wait, -reported_ns)
                reported_ns = 0
            _add(waiting, progress.wait, max(progress.waiting_ns - reported_ns, 0))
            self._progress = progress._replace(waiting_ns=max(progress.waiting_ns, reported_ns))
        return {wait: spent_ns for wait, spent_ns in waiting.items() if spent_ns}


def _add(waiting: dict[Wait, int], wait: Wait, spent_ns: int) -> None:
    waiting[wait] = waiting.get(wait, 0) + spent_ns
