"""
Estimates of waits, for sources without the times of threads.

These are older recordings, traces with `--no-objects`, and recordings of which calls are selected.

A call waited if its purpose is, or may be, to wait, and it took longer than it would otherwise.
"""

from collections.abc import Mapping

from syswatch.model.activity import Sums
from syswatch.model.calls import CallTally
from syswatch.model.catalog import can_wait, plain_name
from syswatch.model.delta import Calls
from syswatch.model.histogram import Histogram, lower_bound, upper_bound
from syswatch.model.objects import ObjectKind, other_object
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import CHILD_WAITS, SLEEPS, ThreadTimes, Wait

from .call_families import FUTEX_WAITS, SIGNAL_WAITS, SLOW_WORK
from .filters import left_out

# A call that does not wait is done by then, except where it copies much data.
_WAITED_NS = 50_000
_KINDS = {
    **dict.fromkeys(SLEEPS, ObjectKind.SLEEP),
    **dict.fromkeys(FUTEX_WAITS, ObjectKind.FUTEX),
    **dict.fromkeys(CHILD_WAITS, ObjectKind.CHILD),
    **dict.fromkeys(SIGNAL_WAITS, ObjectKind.SIGNAL),
}


def estimated_rows(calls: Calls) -> Mapping[Wait, Sums]:
    """Return a row for each call, with the kind of object that its name implies."""
    return {
        Wait(other_object(_KINDS.get(plain_name(name), ObjectKind.NONE)), name): _estimated(
            name, tally
        )
        for name, tally in calls.items()
    }


def estimated_times(snapshot: Snapshot, pid: int | None = None) -> tuple[ThreadTimes, str]:
    """Return the times of all threads together, or of a process, and what is not known of them."""
    sums = snapshot.sums
    calls = sums.calls if pid is None else sums.by_process.get(pid, {})
    rows = estimated_rows(calls)
    total_ns = sum(row.total_ns for row in rows.values())
    if not total_ns:
        return ThreadTimes(), _missing(snapshot) if calls else ""
    is_alone = len(sums.processes) <= 1 and total_ns <= snapshot.elapsed_ns
    times = ThreadTimes(
        user_ns=snapshot.elapsed_ns - total_ns if is_alone else 0,
        working_ns=sum(row.working_ns for row in rows.values()),
        ready_ns=sum(row.ready_ns for row in rows.values()),
        waiting={wait: row.waiting_ns for wait, row in rows.items() if row.waiting_ns},
    )
    note = f"estimated from the durations of calls, since {_reason(snapshot)}"
    return times, note if is_alone else f"{note}; time outside of calls is not known"


def _reason(snapshot: Snapshot) -> str:
    """Return why the times of threads are not known."""
    filters = left_out(snapshot)
    # Without objects, nothing would be known without filters either.
    if filters and snapshot.sums.activity:
        return (
            f"the recorded times of threads are those of all calls, and {filters} leaves some out"
        )
    return "waits and objects were not recorded (a trace without --no-objects records them)"


def _missing(snapshot: Snapshot) -> str:
    if snapshot.is_of_log:
        return "the log has no durations (strace -T writes them)"
    return "no durations were measured (--mode full measures them)"


def _estimated(name: str, tally: CallTally) -> Sums:
    waits, waiting_ns = tally.waits.count, tally.waits.waiting_ns
    if not waits and (can_wait(name) or plain_name(name) in SLOW_WORK):
        waits, short_ns = _long_and_short(tally.histogram)
        waiting_ns = tally.total_ns - short_ns if waits else 0
    waiting_ns = max(min(waiting_ns, tally.total_ns), 0)
    ready_ns = min(tally.waits.ready_ns, tally.total_ns - waiting_ns)
    return Sums(
        count=tally.count,
        errors=tally.errors,
        working_ns=tally.total_ns - waiting_ns - ready_ns,
        waiting_ns=waiting_ns,
        ready_ns=ready_ns,
        waits=waits,
    )


def _long_and_short(histogram: Histogram) -> tuple[int, int]:
    """Return how many calls were long, and about how long all others took together."""
    long = short_ns = 0
    for bucket, number in histogram.counts.items():
        if lower_bound(bucket) >= _WAITED_NS:
            long += number
        else:
            short_ns += number * (lower_bound(bucket) + upper_bound(bucket)) // 2
    return long, short_ns
