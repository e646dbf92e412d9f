"""
Where the time of the threads went in a range of time, by thread and interval.

The time in calls is cut to the range.  For the time outside of them, the recorded history is cut in
proportion: it has intervals of 10 ms in the first ten seconds of a trace, and of a second later.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from syswatch.base.classes import frozen
from syswatch.model.delta import Delta
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, FINE_S, INTERVAL, Timeline
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.model.window import HISTORY_S
from syswatch.recording.extra import load

from .batch import Batch
from .grouping import Groups
from .tallies import name_of

_NS_IN_MS = 1_000_000
# So many parts of calls are looked at together: a long call has a part in each interval.
_MOST_PARTS = 1 << 20

Bins = dict[int, dict[int, ThreadTimes]]


@frozen
class Cut:
    """A range of time, cut into intervals."""

    first_ns: int
    last_ns: int
    bin_ms: int

    @classmethod
    def of(cls, first_ns: int, last_ns: int) -> "Cut":
        """Return a range with intervals as long as a trace of that length has them."""
        is_short = last_ns - first_ns <= FINE_S * SECOND_NS
        return cls(first_ns, last_ns, FINE_MS if is_short else COARSE_MS)

    @property
    def bin_ns(self) -> int:
        """The length of the intervals."""
        return self.bin_ms * _NS_IN_MS

    @property
    def newest(self) -> "Cut":
        """The part of it that a history covers."""
        return attrs.evolve(self, first_ns=max(self.first_ns, self.last_ns - HISTORY_S * SECOND_NS))

    @property
    def uncut(self) -> "Cut":
        """The same range as one interval."""
        return attrs.evolve(self, bin_ms=LONGEST_NS // _NS_IN_MS)

    def timeline(self, bins: Mapping[int, Mapping[int, ThreadTimes]]) -> Timeline:
        """Return the history of some intervals; of very many threads, the busiest are kept."""
        bounded = {
            at: threads if len(threads) <= INTERVAL.limit else INTERVAL.cut(threads)
            for at, threads in bins.items()
        }
        return Timeline(bounded, self.bin_ms)


def spent(cut: Cut, times_in: Callable[[Cut], Bins]) -> Delta:
    """Return threads and history; `times_in` returns the times in the intervals of a range."""
    newest = cut.newest
    history = times_in(newest)
    whole = history if newest == cut else times_in(cut.uncut)
    return Delta(threads=_threads(whole), timeline=newest.timeline(history))


def in_calls(batch: Batch, cut: Cut) -> Bins:
    """Return the time in calls of each interval and thread."""
    bins: Bins = defaultdict(dict)
    # A call that has not returned was in progress at the end.
    begin = batch.start.clip(cut.first_ns)
    end = batch.end.clip(max=cut.last_ns)
    some = batch.where(end > begin)
    begin, end = some.start.clip(cut.first_ns), some.end.clip(max=cut.last_ns)
    for places in _slices((end - 1) // cut.bin_ns - begin // cut.bin_ns + 1):
        _add_parts(bins, _Parts.of(some.where(places), cut))
    return bins


def _slices(counts: Any) -> Iterator[Any]:
    """Yield the places of calls in slices that do not have too many parts."""
    numpy = load("numpy")
    if not len(counts):
        return
    slices = numpy.cumsum(counts) // _MOST_PARTS
    bounds = numpy.flatnonzero(numpy.diff(slices)) + 1
    yield from numpy.split(numpy.arange(len(counts)), bounds)


@frozen(eq=False)
class _Parts:
    """The parts of calls in intervals."""

    calls: Batch
    # The call and the interval of each part, and its times.
    call: Any
    at: Any
    working: Any
    waiting: Any

    @classmethod
    def of(cls, calls: Batch, cut: Cut) -> "_Parts":
        """Cut calls into parts."""
        numpy = load("numpy")
        bin_ns = cut.bin_ns
        begin, end = calls.start.clip(cut.first_ns), calls.end.clip(max=cut.last_ns)
        counts = (end - 1) // bin_ns - begin // bin_ns + 1
        call = numpy.repeat(numpy.arange(len(calls)), counts)
        nth = numpy.arange(len(call)) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
        at = begin[call] // bin_ns + nth
        part_begin = numpy.maximum(begin[call], at * bin_ns)
        part_end = numpy.minimum(end[call], (at + 1) * bin_ns)
        # One that has not returned has lasted until the end of the range.
        lasted = numpy.where(calls.returned, calls.duration, end - calls.start)
        from_ns, to_ns = part_begin - calls.start[call], part_end - calls.start[call]

        def share(times: Any) -> Any:
            whole = numpy.minimum(times, lasted)[call]
            return _until(whole, to_ns, lasted[call]) - _until(whole, from_ns, lasted[call])

        waiting = share(calls.waiting)
        ready = share(numpy.minimum(calls.ready, lasted - numpy.minimum(calls.waiting, lasted)))
        return cls(calls, call, at, to_ns - from_ns - waiting - ready, waiting)


def _until(whole: Any, at_ns: Any, lasted: Any) -> Any:
    """Return how much of a time has passed; the parts of a call add up to the whole."""
    return (whole * (at_ns / lasted)).astype("i8")


def _add_parts(bins: Bins, parts: _Parts) -> None:
    calls = parts.calls
    tid = calls.tid[parts.call]
    groups = Groups.of(parts.at, tid)
    working = groups.sums(parts.working)
    waits: dict[tuple[int, int], dict[Wait, int]] = defaultdict(dict)
    for at, thread, wait, spent_ns in _waits(parts):
        found = waits[at, thread]
        found[wait] = found.get(wait, 0) + spent_ns
    ats, tids = parts.at[groups.first].tolist(), tid[groups.first].tolist()
    for at, thread, working_ns in zip(ats, tids, working, strict=True):
        times = ThreadTimes(working_ns=working_ns, waiting=waits.get((at, thread), {}))
        former = bins[at].get(thread)
        bins[at][thread] = times if former is None else former + times


def _waits(parts: _Parts) -> Iterator[tuple[int, int, Wait, int]]:
    chosen = parts.waiting > 0
    call, at, waiting = parts.call[chosen], parts.at[chosen], parts.waiting[chosen]
    if not len(call):
        return
    calls = parts.calls
    tid, number, name = calls.tid[call], calls.object[call], calls.name[call]
    groups = Groups.of(at, tid, number, name)
    first = groups.first
    columns = zip(
        at[first].tolist(),
        tid[first].tolist(),
        number[first].tolist(),
        name[first].tolist(),
        groups.sums(waiting),
        strict=True,
    )
    for begin, thread, each, place, spent_ns in columns:
        yield begin, thread, Wait(each, name_of(calls, place)), spent_ns


def outside_of_calls(recorded: Timeline, trace: Cut, cut: Cut) -> Bins:
    """
    Return the recorded time outside of calls, and without a CPU, in the intervals of a range.

    Of the first and the last recorded interval, the trace may cover only a part.
    """
    bins: Bins = defaultdict(dict)
    length_ns = recorded.bin_ms * _NS_IN_MS
    for number, threads in recorded.bins.items():
        begin_ns = max(number * length_ns, trace.first_ns)
        end_ns = min((number + 1) * length_ns, trace.last_ns)
        for at, from_ns, to_ns in _overlaps(begin_ns, end_ns, cut):
            for tid, times in threads.items():
                part = _part(times, from_ns - begin_ns, to_ns - begin_ns, end_ns - begin_ns)
                former = bins[at].get(tid)
                bins[at][tid] = part if former is None else former + part
    return bins


def _overlaps(begin_ns: int, end_ns: int, cut: Cut) -> Iterator[tuple[int, int, int]]:
    """Yield the intervals of a range that a recorded one touches, and where it does."""
    begin_ns, end_ns = max(begin_ns, cut.first_ns), min(end_ns, cut.last_ns)
    for at in range(begin_ns // cut.bin_ns, (max(end_ns, begin_ns) - 1) // cut.bin_ns + 1):
        from_ns, to_ns = max(begin_ns, at * cut.bin_ns), min(end_ns, (at + 1) * cut.bin_ns)
        if from_ns < to_ns:
            yield at, from_ns, to_ns


def _part(times: ThreadTimes, from_ns: int, to_ns: int, length_ns: int) -> ThreadTimes:
    def part(value: int) -> int:
        return value * to_ns // length_ns - value * from_ns // length_ns

    return ThreadTimes(
        user_ns=part(times.user_ns),
        ready_ns=part(times.ready_ns),
        stopped_ns=part(times.stopped_ns),
        suspended_ns=part(times.suspended_ns),
    )


def _threads(bins: Bins) -> dict[int, ThreadTally]:
    """Return the threads with the sums of their times in some intervals."""
    threads: dict[int, ThreadTimes] = {}
    for interval in bins.values():
        for tid, times in interval.items():
            threads[tid] = threads[tid] + times if tid in threads else times
    return {tid: ThreadTally(times=times) for tid, times in threads.items()}


def calls_of_threads(batch: Batch) -> dict[int, ThreadTally]:
    """Return how many calls each thread has made, and how many of them failed."""
    groups = Groups.of(batch.tid)
    columns = zip(
        batch.tid[groups.first].tolist(),
        batch.pid[groups.first].tolist(),
        groups.counts(),
        groups.counts(batch.errno >= 0),
        strict=True,
    )
    return {
        tid: ThreadTally(pid=pid, calls=calls, errors=errors) for tid, pid, calls, errors in columns
    }
