"""
Checks the numbers in recordings, which anyone may have written.

A tracer counts up and keeps few intervals, so its numbers are neither negative nor absurd.  Others
would end in a history of a billion years, or in a histogram that fills the memory.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain

import attrs

from syswatch.model.activity import Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.evidence import TRACKED_EVIDENCE
from syswatch.model.grouping import TRACKED_GROUPS
from syswatch.model.groups import TRACKED_GROUP_ROWS
from syswatch.model.histogram import BUCKET_COUNT, Histogram
from syswatch.model.ruled_arguments import HIGHEST_VALUE, MOST_RULED
from syswatch.model.threads import ThreadTimes
from syswatch.model.timeline import COARSE_MS, FINE_MS, FINE_S, Timeline
from syswatch.model.times import LONGEST_NS
from syswatch.model.waits import WaitTally
from syswatch.model.window import HISTORY_S, Window

# A year of ten million calls a second; the sum of many deltas still fits into 64 bits.
_MOST = 1 << 48
# How many intervals of each length a tracer keeps.
_MOST_INTERVALS = {FINE_MS: FINE_S * COARSE_MS // FINE_MS, COARSE_MS: HISTORY_S}
_NS_IN_MS = 1_000_000


def implausible(delta: Delta) -> str:
    """Return the first part of a delta that no tracer can have sent; empty if there is none."""
    return next((name for name, is_right in _CHECKS.items() if not is_right(delta)), "")


def _are_counts(*numbers: int) -> bool:
    return not numbers or (min(numbers) >= 0 and max(numbers) <= _MOST)


def _are_times(*times_ns: int) -> bool:
    return not times_ns or (min(times_ns) >= 0 and max(times_ns) <= LONGEST_NS)


def _are_moments(moments_ns: Iterable[int | None]) -> bool:
    return all(at_ns is None or abs(at_ns) <= LONGEST_NS for at_ns in moments_ns)


def _is_histogram(histogram: Histogram) -> bool:
    buckets, counts = histogram.counts.keys(), histogram.counts.values()
    return not buckets or (
        min(buckets) >= 0 and max(buckets) < BUCKET_COUNT and _are_counts(*counts)
    )


def _are_waits(waits: WaitTally) -> bool:
    times_ns = waits.waiting_ns, waits.ready_ns
    return _are_counts(waits.count) and _are_times(*times_ns) and _is_histogram(waits.histogram)


def _is_tally(tally: CallTally) -> bool:
    return (
        _are_counts(tally.count, tally.errors, *tally.errnos.values())
        and _are_times(tally.total_ns, tally.min_ns, tally.max_ns)
        and _is_histogram(tally.histogram)
        and _are_waits(tally.waits)
    )


def _are_calls(delta: Delta) -> bool:
    tables = chain((delta.calls,), delta.by_process.values())
    return all(_is_tally(tally) for calls in tables for tally in calls.values())


def _are_processes(delta: Delta) -> bool:
    return all(
        _are_counts(each.count, each.errors, each.lives) and _are_times(each.total_ns)
        for each in delta.processes.values()
    )


def _are_paths(delta: Delta) -> bool:
    return _are_counts(*delta.paths.values(), *delta.failed_paths.values())


def _are_sums(row: Sums) -> bool:
    # There may be 60 000 rows, and a function takes longer than each of these comparisons.
    return (
        0 <= row.count <= _MOST
        and 0 <= row.errors <= _MOST
        and 0 <= row.bytes_in <= _MOST
        and 0 <= row.bytes_out <= _MOST
        and 0 <= row.waits <= _MOST
        # The kernel updates times one after the other, so what is left for work may be negative.
        and -LONGEST_NS <= row.working_ns <= LONGEST_NS
        and 0 <= row.waiting_ns <= LONGEST_NS
        and 0 <= row.ready_ns <= LONGEST_NS
    )


def _is_activity(delta: Delta) -> bool:
    return all(map(_are_sums, delta.activity.values()))


def _are_groups(delta: Delta) -> bool:
    return (
        len(delta.groups) <= TRACKED_GROUP_ROWS
        and max(len(delta.group_infos), len(delta.group_times)) <= TRACKED_GROUPS + 1
        and all(map(_are_sums, delta.groups.values()))
        and _are_counts(*(info.lives for info in delta.group_infos.values()))
        and all(map(_is_histogram, delta.group_times.values()))
    )


def _are_object_waits(delta: Delta) -> bool:
    return all(map(_is_histogram, delta.object_waits.values()))


def _is_evidence(delta: Delta) -> bool:
    evidence = delta.evidence
    return (
        len(evidence) <= TRACKED_EVIDENCE
        and _are_counts(*(tally.count for tally in evidence.values()))
        and _are_moments(tally.first_ns for tally in evidence.values())
        and all(
            len(key.values) <= MOST_RULED and 0 <= value <= HIGHEST_VALUE
            for key in evidence
            for value in key.values
        )
    )


def _are_thread_times(times: ThreadTimes) -> bool:
    # Time that is moved from one state to another is negative in the former.
    parts = (
        times.user_ns,
        times.working_ns,
        times.ready_ns,
        times.stopped_ns,
        times.suspended_ns,
    )
    return _are_times(*map(abs, chain(parts, times.waiting.values())))


def _are_threads(delta: Delta) -> bool:
    return all(
        _are_counts(each.calls, each.errors) and _are_thread_times(each.times)
        for each in delta.threads.values()
    )


def _are_intervals(numbers: Iterable[int], length_ms: int, most: int) -> bool:
    ordered = sorted(numbers)
    return not ordered or (
        ordered[-1] - ordered[0] <= most
        and _are_moments(number * length_ms * _NS_IN_MS for number in ordered)
    )


def _is_timeline(delta: Delta) -> bool:
    timeline: Timeline = delta.timeline
    most = _MOST_INTERVALS.get(timeline.bin_ms)
    return (
        most is not None
        and _are_intervals(timeline.bins, timeline.bin_ms, most)
        and all(map(_are_thread_times, chain(*(bin_.values() for bin_ in timeline.bins.values()))))
    )


def _is_now(delta: Delta) -> bool:
    began = (thread.since_ns for thread in delta.now.threads.values())
    return delta.now.at_ns >= 0 and _are_moments(chain((delta.now.at_ns,), began))


def _are_slowest(delta: Delta) -> bool:
    calls = tuple(chain(delta.slowest.overall, *delta.slowest.by_call.values()))
    return _are_moments(call.time_ns for call in calls) and all(
        _are_times(call.duration_ns, call.waiting_ns or 0)
        and (call.trace_parent is None or call.trace_parent.is_valid)
        for call in calls
    )


def _is_log(delta: Delta) -> bool:
    samples = chain(*delta.failures.values())
    moments = chain((each.time_ns for each in delta.log), (each.time_ns for each in samples))
    return _are_moments(moments) and all(_are_times(each.duration_ns or 0) for each in delta.log)


def _is_window(delta: Delta) -> bool:
    window: Window = delta.window
    return _are_intervals(window.seconds, COARSE_MS, HISTORY_S) and all(
        _are_counts(totals.count, totals.errors) and _are_times(totals.total_ns)
        for calls in window.seconds.values()
        for totals in calls.values()
    )


def _is_span(delta: Delta) -> bool:
    return delta.span is None or _are_moments(attrs.astuple(delta.span))


def _is_ledger(delta: Delta) -> bool:
    # A reading may find less than was estimated before.
    numbers = (*attrs.astuple(delta.ledger), *attrs.astuple(delta.reading))
    return _are_counts(*map(abs, numbers))


_CHECKS: Mapping[str, Callable[[Delta], bool]] = {
    "calls": _are_calls,
    "processes": _are_processes,
    "paths": _are_paths,
    "activity": _is_activity,
    "object waits": _are_object_waits,
    "evidence": _is_evidence,
    "groups": _are_groups,
    "threads": _are_threads,
    "timeline": _is_timeline,
    "now": _is_now,
    "slowest calls": _are_slowest,
    "log": _is_log,
    "window": _is_window,
    "span": _is_span,
    "ledger": _is_ledger,
}
