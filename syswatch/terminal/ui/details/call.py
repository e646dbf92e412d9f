"""The details of a system call: totals, latency, waits, objects, errors, reference."""

from collections.abc import Iterator

from syswatch.model.activity import ActivityKey
from syswatch.model.catalog.entries import lookup
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.terminal.ui.budget_bar import state_style
from syswatch.terminal.ui.listing import Scope
from syswatch.terminal.ui.styled_text import Line, align_left, align_right, wrap
from syswatch.views import record_builders, records
from syswatch.views.budget.calls import with_costs
from syswatch.views.budget.names import object_name
from syswatch.views.budget.objects import objects_of
from syswatch.views.budget.slowest import slowest
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import count, duration, per_second, share

from .parts import histogram, pairs, thread_name, time_text, title

_MOST_OBJECTS = 8
_MOST_SLOW = 5


def call_details(snapshot: Snapshot, scope: Scope, name: str, width: int) -> list[Line]:
    """Return the lines about a call; its objects and slowest calls are those of a process."""
    call = snapshot.call(name)
    if call is None:
        return [[(f"No {name} calls", "dim")]]
    (call,) = with_costs(snapshot, [call])
    record = record_builders.syscall_detail(snapshot, call)
    return [
        *_totals(call, width),
        *_latency(call, width),
        *_waits(call, width),
        *_objects(snapshot, scope, name),
        *_slowest(snapshot, scope, name),
        *_errors(call),
        *_recent_errors(record),
        *_reference(name, width),
    ]


def _totals(call: CallStat, width: int) -> Iterator[Line]:
    tally = call.tally
    failed = f"{tally.errors:,} ({share(call.error_share)})" if tally.errors else "–"
    yield from pairs(
        {
            "calls": f"{tally.count:,}",
            "rate": f"{per_second(call.rate)} /s",
            "errors": failed,
            "errors (60 s)": f"{call.errors_60s:,}" if call.errors_60s else "–",
        },
        width,
    )
    if not tally.timed:
        yield [("Durations were not recorded", "dim")]
        return
    waits = tally.waits
    in_calls = f" in {waits.count + call.in_progress:,} calls" if waits.count else ""
    yield from pairs(
        {
            "total": duration(call.total_ns),
            "average": duration(tally.average_ns),
            **({"waiting": f"{duration(call.waiting_ns)}{in_calls}"} if call.waiting_ns else {}),
            **({"no CPU": duration(waits.ready_ns)} if waits.ready_ns else {}),
        },
        width,
    )
    times = {"min": tally.min_ns, "P50": call.p50_ns, "P95": call.p95_ns, "P99": call.p99_ns}
    yield from pairs({k: duration(v) for k, v in {**times, "max": tally.max_ns}.items()}, width)


def _latency(call: CallStat, width: int) -> Iterator[Line]:
    if call.tally.timed:
        yield from title("Latency")
        marks = {"P50": call.p50_ns, "P95": call.p95_ns, "P99": call.p99_ns}
        yield from histogram(call.tally.histogram, marks, call.category.value, width)


def _waits(call: CallStat, width: int) -> Iterator[Line]:
    if call.tally.waits.count:
        yield from title("Waits")
        yield from histogram(call.tally.waits.histogram, {}, state_style(TimeState.BLOCKED), width)


def _objects(snapshot: Snapshot, scope: Scope, name: str) -> Iterator[Line]:
    def covers(row: ActivityKey) -> bool:
        return row.call == name and scope.pid in (None, row.pid)

    found = [each for each in objects_of(snapshot, covers) if object_name(each.info)]
    if not found:
        return
    yield from title("Objects")
    yield [("   CALLS  WAITING    TOTAL  OBJECT", "dim")]
    for each in found[:_MOST_OBJECTS]:
        yield [
            (align_right(count(each.costs.sums.count), 8), ""),
            (align_right(time_text(each.costs.waiting_ns), 9), ""),
            (align_right(time_text(each.costs.total_ns), 9), "dim"),
            (f"  {object_name(each.info)}", ""),
        ]
    if len(found) > _MOST_OBJECTS:
        yield [(f"  and {len(found) - _MOST_OBJECTS:,} more", "dim")]


def _slowest(snapshot: Snapshot, scope: Scope, name: str) -> Iterator[Line]:
    found = slowest(snapshot, scope.pid, name)[:_MOST_SLOW]
    if not found:
        return
    yield from title("Slowest calls")
    for each in found:
        call = each.call
        yield [
            (align_right(duration(call.duration_ns), 8), "title"),
            (f"  {thread_name(snapshot, call.tid, call.pid)}  ", "dim"),
            (object_name(each.info) or call.args, ""),
        ]


def _errors(call: CallStat) -> Iterator[Line]:
    if not call.tally.errnos:
        return
    yield from title("Errors")
    meanings = {note.name: note.meaning for note in getattr(lookup(call.name), "errnos", ())}
    for name, times in sorted(call.tally.errnos.items(), key=lambda item: (-item[1], item[0])):
        yield [
            (align_left(name, 16), "failing"),
            (align_right(f"{times:,}", 10), ""),
            (align_right(share(times / call.tally.errors), 8), "dim"),
            ("  " + meanings.get(name, ""), "dim"),
        ]


def _recent_errors(record: records.SyscallDetail) -> Iterator[Line]:
    samples = record.recent_errors
    if not isinstance(samples, list):
        return
    yield from title("Recent errors")
    for sample in reversed(samples):
        yield [
            (sample.time[11:26] + " ", "dim"),
            (f"{sample.pid} ", "dim"),
            (align_left(sample.errno, 12), "failing"),
            (sample.args, ""),
        ]


def _reference(name: str, width: int) -> Iterator[Line]:
    reference = record_builders.reference(lookup(name))
    yield from title(f"Reference ({reference.category})")
    if not reference.signature:
        yield [("No description available", "dim")]
        return
    yield from wrap(reference.description, width - 1)
    yield [(reference.signature, "live")]
    yield from wrap(f"Returns: {reference.returns}", width - 1, "dim")
    yield from wrap(reference.advice, width - 1)
    for note in reference.errnos:
        yield [(align_left(note.name, 16), "slow"), (note.meaning, "dim")]
