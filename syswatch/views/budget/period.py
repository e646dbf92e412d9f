"""
The part of a snapshot in a range of time.

The history has the time of each thread by state, and each wait by object, so the budget, the
threads and the waits of a range are exact.  It has neither the calls of an object nor their bytes.
"""

from collections.abc import Mapping
from itertools import chain

import attrs

from syswatch.base.classes import frozen
from syswatch.model.activity import NO_SUMS, ActivityKey
from syswatch.model.now import Now
from syswatch.model.slowest import Slowest
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import Interval, Timeline

_NS_IN_MS = 1_000_000
# Later than any interval.
NEVER_MS = 1 << 62


@frozen
class Period:
    """A range of time in milliseconds since 1970, without an end up to that of the trace."""

    from_ms: int = 0
    to_ms: int = 0

    def __bool__(self) -> bool:
        """Return whether it limits anything."""
        return bool(self.from_ms or self.to_ms)

    def aligned(self, timeline: Timeline) -> tuple[int, int]:
        """Return the number of the first interval, and that after the last one."""
        end = (
            -(-self.to_ms // timeline.bin_ms) if self.to_ms else max(timeline.bins, default=-1) + 1
        )
        return self.from_ms // timeline.bin_ms, end

    def in_intervals(self, timeline: Timeline) -> tuple[int, int]:
        """Return the beginning and the end of all intervals that it touches, in milliseconds."""
        first, end = self.aligned(timeline)
        return first * timeline.bin_ms, end * timeline.bin_ms

    def covered_ms(self, snapshot: Snapshot) -> tuple[int, int]:
        """Return the begin and the end of what is known of it, in milliseconds."""
        if not snapshot.is_exact_part:
            return self.in_intervals(snapshot.sums.timeline)
        return self.from_ms, self.to_ms or (snapshot.now_ns or 0) // _NS_IN_MS

    def includes(self, begin_ns: int | None, duration_ns: int | None = 0) -> bool:
        """Return whether something that began at a time took place in it, at least in part."""
        if begin_ns is None:
            return False
        end_ns = begin_ns + (duration_ns or 0)
        return (
            begin_ns < (self.to_ms or NEVER_MS) * _NS_IN_MS and end_ns >= self.from_ms * _NS_IN_MS
        )


ALWAYS = Period()


def within(snapshot: Snapshot, period: Period) -> Snapshot:
    """
    Return the part of a snapshot in a range, or all of it if there is no range.

    It has the times of the threads, the slowest calls and the log, but no calls or objects.  The
    part of a recording of every call has everything, and is returned as it is.
    """
    if not period or snapshot.is_exact_part:
        return snapshot
    sums, timeline = snapshot.sums, snapshot.sums.timeline
    first, end = period.aligned(timeline)
    bins = {at: each for at, each in timeline.bins.items() if first <= at < end}
    part = attrs.evolve(
        sums,
        threads=_threads(sums.threads, bins),
        timeline=attrs.evolve(timeline, bins=bins),
        slowest=_slowest(sums.slowest, period),
        log=tuple(each for each in sums.log if period.includes(each.time_ns, each.duration_ns)),
        activity={},
        calls={},
        by_process={},
        now=Now(),
    )
    return attrs.evolve(
        snapshot, sums=part, elapsed_ns=_elapsed_ns(snapshot, first, end), part_of=snapshot
    )


def with_objects(part: Snapshot) -> Snapshot:
    """
    Return a part of a snapshot together with the objects that were waited for.

    The time waiting is that of the part; all other numbers of the objects are of the whole.
    """
    whole = part.part_of
    if whole is None or part.is_exact_part:
        return part
    waiting = {
        ActivityKey(tally.pid, tid, wait.object, wait.call): spent_ns
        for tid, tally in part.sums.threads.items()
        for wait, spent_ns in tally.times.waiting.items()
        if spent_ns > 0
    }
    numbers = {key.object for key in waiting}
    rows = {
        key: row._replace(waiting_ns=0)
        for key, row in whole.sums.activity.items()
        if key.object in numbers
    }
    rows |= {
        key: rows.get(key, NO_SUMS)._replace(waiting_ns=spent_ns)
        for key, spent_ns in waiting.items()
    }
    return attrs.evolve(part, sums=attrs.evolve(part.sums, activity=rows))


def _threads(
    known: Mapping[int, ThreadTally], bins: Mapping[int, Interval]
) -> Mapping[int, ThreadTally]:
    """Return the threads that lived in some intervals, with the sums of their times in these."""
    lived: dict[int, list[ThreadTimes]] = {}
    for interval in bins.values():
        for tid, times in interval.items():
            lived.setdefault(tid, []).append(times)
    return {
        tid: attrs.evolve(known.get(tid, ThreadTally()), times=_sum(several))
        for tid, several in lived.items()
    }


def _sum(several: list[ThreadTimes]) -> ThreadTimes:
    # There may be a hundred thousand: their waits are added in place.
    waiting: dict[Wait, int] = {}
    for times in several:
        for wait, spent_ns in times.waiting.items():
            waiting[wait] = waiting.get(wait, 0) + spent_ns
    return ThreadTimes(
        sum(times.user_ns for times in several),
        sum(times.working_ns for times in several),
        sum(times.ready_ns for times in several),
        sum(times.stopped_ns for times in several),
        waiting,
        sum(times.suspended_ns for times in several),
    )


def _elapsed_ns(snapshot: Snapshot, first: int, end: int) -> int:
    """Return how long the trace ran in some intervals."""
    bin_ns = snapshot.sums.timeline.bin_ms * _NS_IN_MS
    if snapshot.now_ns is None:
        return (end - first) * bin_ns
    begin_ns = max(snapshot.now_ns - snapshot.elapsed_ns, first * bin_ns)
    return max(min(snapshot.now_ns, end * bin_ns) - begin_ns, 0)


def _slowest(slowest: Slowest, period: Period) -> Slowest:
    every = {*slowest.overall, *chain(*slowest.by_call.values())}
    return Slowest.of(each for each in every if period.includes(each.time_ns, each.duration_ns))
