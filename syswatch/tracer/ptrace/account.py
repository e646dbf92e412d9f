"""
Where the wall time of a thread went, by state and in intervals.

A thread is credited with all the time up to a flush, the call in progress included.  What a call
has been credited with before it returns is not credited again.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.threads import OTHER_WAITS, ThreadTimes, Wait

from .schedule import Usage
from .waits import LONG_NS, NO_WAIT, Before, Lasted, Split, split, split_by_guess

if TYPE_CHECKING:
    from .threads import Thread

# A running thread has used at most this much more than its statistics tell.
_TICK_NS = 10_000_000
_SWITCHES_OF_CALL = 2


class Segment(NamedTuple):
    """A long call, or the part of one since the last flush."""

    begin_ns: int
    end_ns: int
    wait: Wait
    waiting_ns: int
    ready_ns: int

    @property
    def working_ns(self) -> int:
        """The rest of the time."""
        return self.end_ns - self.begin_ns - self.waiting_ns - self.ready_ns


class Bins(NamedTuple):
    """Intervals of the time of day, which is the monotonic time and an offset."""

    length_ns: int
    offset_ns: int


class Spent(NamedTuple):
    """What a thread has done since the last flush, besides long calls."""

    # How many calls returned, and how long they took, long ones and parts credited before included.
    calls: int
    in_calls_ns: int
    usage: Usage | None
    # The time that the tracer needed for the stops.
    tracer_ns: int
    # For how long signals such as SIGSTOP had stopped the thread.
    suspended_ns: int = 0


@define
class Account:
    """The time of one thread."""

    # The time up to which it is credited, and the statistics at that time.
    at_ns: int
    usage: Usage = attrs.field(factory=Usage)
    # The last known statistics before the present call, or the next one.
    before: Before = attrs.field(factory=Before)
    # When the present call began, if it was found to wait.
    waits_since: int = attrs.field(default=0, init=False)
    # The known parts of calls that returned, but of which it is not known when they began.
    untimed_ns: int = attrs.field(default=0, init=False)
    # Whether the thread was mostly waiting for a CPU at last.
    is_ready: bool = attrs.field(default=False, init=False)
    _segments: list[Segment] = attrs.field(factory=list, init=False)
    # What the present call has been credited with.
    _elapsed_ns: int = attrs.field(default=0, init=False)
    _credited: Split = attrs.field(default=NO_WAIT, init=False)
    _credited_to: Wait = attrs.field(default=OTHER_WAITS, init=False)
    _moves: dict[Wait, int] = attrs.field(factory=dict, init=False)

    def is_due(self, entered_ns: int, now_ns: int, patience_ns: int) -> bool:
        """Return whether to credit a thread that has made no calls since the last flush."""
        is_new_wait = self.at_ns < entered_ns + LONG_NS <= now_ns
        return is_new_wait or now_ns - self.at_ns >= patience_ns

    def split(
        self, thread: "Thread", usage: Usage | None, now_ns: int, late_ns: int | None
    ) -> Split:
        """Divide the duration of the present call of the thread until now."""
        can_wait = thread.call is not None and thread.call.can_wait
        if usage is None:
            return split_by_guess(now_ns - thread.entered_ns, can_wait=can_wait)
        # The entry to this call is not counted yet.
        resumed = thread.resumed(at_exit=False) + 1
        lasted = Lasted(thread.entered_ns, now_ns, resumed, late_ns, can_wait)
        return split(self.before, usage, lasted)

    def call_returned(self, begin_ns: int, end_ns: int, wait: Wait, split: Split) -> None:
        """Credit a long call with what it has not been credited with before."""
        self._add(max(begin_ns, self.at_ns), end_ns, wait, split)
        self._move_to(wait)
        self._credited = NO_WAIT

    def call_was_short(self) -> None:
        """Forget the credit of a call that returned, most of whose time its thread was stopped."""
        self._credited = NO_WAIT

    def call_goes_on(self, begin_ns: int, now_ns: int, wait: Wait, split: Split) -> None:
        """Credit a call in progress with the time until now."""
        self.waits_since = begin_ns if split.waited else 0
        self._move_to(wait)
        self._credited_to = wait
        self._add(max(begin_ns, self.at_ns), now_ns, wait, split)
        self._credited = Split(
            max(split.waiting_ns, self._credited.waiting_ns),
            max(split.ready_ns, self._credited.ready_ns),
        )

    def take_moves(self) -> Mapping[Wait, int]:
        """Return the times to add to waits, or to subtract, since what they are for has changed."""
        moves, self._moves = self._moves, {}
        return moves

    def _move_to(self, wait: Wait) -> None:
        """Move what the present call has been credited with to what it turned out to wait for."""
        moved_ns = self._credited.waiting_ns
        if moved_ns and wait != self._credited_to:
            for each, sign in ((self._credited_to, -1), (wait, 1)):
                self._moves[each] = self._moves.get(each, 0) + sign * moved_ns

    def _add(self, begin_ns: int, end_ns: int, wait: Wait, split: Split) -> None:
        length = end_ns - begin_ns
        if length <= 0:
            return
        waiting_ns = min(max(split.waiting_ns - self._credited.waiting_ns, 0), length)
        ready_ns = min(max(split.ready_ns - self._credited.ready_ns, 0), length - waiting_ns)
        self._segments.append(Segment(begin_ns, end_ns, wait, waiting_ns, ready_ns))

    def settle(
        self, now_ns: int, spent: Spent, in_progress_ns: int, bins: Bins
    ) -> Mapping[int, ThreadTimes]:
        """
        Credit the time until now; return it by interval.

        `in_progress_ns` is how long the present call has lasted, 0 if there is none.
        """
        begin_ns, self.at_ns = self.at_ns, now_ns
        segments, self._segments = self._segments, []
        wall_ns = max(now_ns - begin_ns, 0)
        in_calls_ns = spent.in_calls_ns + self.untimed_ns - self._elapsed_ns + in_progress_ns
        self.untimed_ns = 0
        self._elapsed_ns = in_progress_ns
        long_ns = sum(each.end_ns - each.begin_ns for each in segments)
        short_ns = min(max(in_calls_ns - long_ns, 0), max(wall_ns - long_ns, 0))
        outside = self._outside(max(wall_ns - long_ns - short_ns, 0), spent, segments)
        rest = attrs.evolve(outside, working_ns=outside.working_ns + short_ns)
        return dict(_by_interval(begin_ns, now_ns, segments, rest, bins))

    def _outside(self, outside_ns: int, spent: Spent, segments: list[Segment]) -> ThreadTimes:
        """Divide the time outside of calls."""
        tracer_ns = min(spent.tracer_ns, outside_ns)
        suspended_ns = min(spent.suspended_ns, outside_ns - tracer_ns)
        if spent.usage is None:
            stopped_ns = tracer_ns + suspended_ns
            return ThreadTimes(
                user_ns=outside_ns - stopped_ns, stopped_ns=stopped_ns, suspended_ns=suspended_ns
            )
        used = spent.usage.since(self.usage)
        run_ns = max(used.run_ns - sum(each.working_ns for each in segments), 0)
        user_ns = min(run_ns, outside_ns - tracer_ns)
        # Part of what is left may have been used before, and was only counted at the last tick.
        unused_ns = min(run_ns - user_ns, _TICK_NS)
        self.usage = spent.usage._replace(run_ns=spent.usage.run_ns - unused_ns)
        # A thread is ready for a moment after each stop, because the tracer is still running: on
        # average not longer than after other switches, and in all not longer than the tracer ran.
        others = max(used.switches - _SWITCHES_OF_CALL * spent.calls, 0)
        ready_ns = max(used.ready_ns - sum(each.ready_ns for each in segments), 0)
        ready_ns = max(ready_ns * others // max(used.switches, 1), ready_ns - tracer_ns)
        ready_ns = min(ready_ns, outside_ns - user_ns)
        self.is_ready = ready_ns > user_ns
        stopped_ns = outside_ns - user_ns - ready_ns
        return ThreadTimes(
            user_ns=user_ns,
            ready_ns=ready_ns,
            stopped_ns=stopped_ns,
            suspended_ns=min(suspended_ns, stopped_ns),
        )


def _by_interval(
    begin_ns: int, end_ns: int, segments: list[Segment], rest: ThreadTimes, bins: Bins
) -> Iterator[tuple[int, ThreadTimes]]:
    """Yield the times of each interval; what is not in a segment is spread evenly."""
    rest_ns = rest.wall_ns
    left_ns = end_ns - begin_ns - sum(each.end_ns - each.begin_ns for each in segments)
    passed_ns = 0
    length_ns, offset_ns = bins
    first, last = (begin_ns + offset_ns) // length_ns, (end_ns + offset_ns - 1) // length_ns
    for number in range(first, last + 1):
        at_ns = number * length_ns - offset_ns
        first_ns, last_ns = max(at_ns, begin_ns), min(at_ns + length_ns, end_ns)
        inside = [each for each in segments if each.end_ns > first_ns and each.begin_ns < last_ns]
        times = ThreadTimes()
        for each in inside:
            times += _part(each, first_ns, last_ns)
        free_ns = last_ns - first_ns - times.wall_ns
        times += _share(rest, rest_ns, passed_ns, passed_ns + free_ns, left_ns)
        passed_ns += free_ns
        yield number, times


def _part(segment: Segment, first_ns: int, last_ns: int) -> ThreadTimes:
    """Return the part of a segment that lies in an interval."""
    length = segment.end_ns - segment.begin_ns
    begin = max(first_ns - segment.begin_ns, 0)
    end = min(last_ns - segment.begin_ns, length)
    waiting_ns = segment.waiting_ns * end // length - segment.waiting_ns * begin // length
    ready_ns = segment.ready_ns * end // length - segment.ready_ns * begin // length
    return ThreadTimes(
        working_ns=end - begin - waiting_ns - ready_ns,
        ready_ns=ready_ns,
        waiting={segment.wait: waiting_ns} if waiting_ns else {},
    )


def _share(
    times: ThreadTimes, whole_ns: int, begin_ns: int, end_ns: int, most_ns: int
) -> ThreadTimes:
    """Return the share of an interval that is free from `begin_ns` to `end_ns` of `most_ns`."""
    if not whole_ns or not most_ns:
        return ThreadTimes()

    def part(value: int) -> int:
        return value * end_ns // most_ns - value * begin_ns // most_ns

    return ThreadTimes(
        user_ns=part(times.user_ns),
        working_ns=part(times.working_ns),
        ready_ns=part(times.ready_ns),
        stopped_ns=part(times.stopped_ns),
        suspended_ns=part(times.suspended_ns),
    )
