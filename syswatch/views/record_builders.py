"""Build the records of the API from a snapshot."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import attrs
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from syswatch.model.catalog import Category, Syscall, category_of
from syswatch.model.catalog.entries import lookup
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Weight
from syswatch.model.objects import NO_OBJECT
from syswatch.model.process import ProcessTally
from syswatch.model.recording import RecordingState, Save
from syswatch.model.snapshot import CallStat, Snapshot, call_stats, categories
from syswatch.model.times import SECOND_NS
from syswatch.model.window import HISTORY_S, NO_CALLS, SecondTotals

from . import recording, records
from .budget.calls import with_costs
from .budget.identifiers import object_text
from .budget.names import object_name
from .budget.period import ALWAYS, Period
from .budget.scope import info_of, now_of
from .formatting import elapsed, rfc3339
from .paths import PathTally, opened_paths
from .status import notes, state, verdict

Value = TypeVar("Value")
_NO_REFERENCE = Syscall(name="", category=Category.OTHER)


def stats(snapshot: Snapshot) -> list[records.SyscallStat]:
    """Return the table of system calls."""
    return [syscall(call) for call in with_costs(snapshot, snapshot.calls)]


def syscall(call: CallStat) -> records.SyscallStat:
    """Return one row of the table."""
    tally = call.tally
    ranked = sorted(tally.errnos.items(), key=lambda item: (-item[1], item[0]))
    return records.SyscallStat(
        name=call.name,
        category=call.category.value,
        count=tally.count,
        errors=tally.errors,
        total_time=call.total_ns,
        min_time=tally.min_ns,
        max_time=tally.max_ns,
        p95=call.p95_ns,
        p99=call.p99_ns,
        err_rate_60s=call.errors_60s,
        working=call.working_ns,
        waiting=call.waiting_ns,
        blocked=call.blocked_ns,
        idle=call.idle_ns,
        ready=call.ready_ns,
        waits=tally.waits.count,
        in_progress=call.in_progress,
        error_breakdown=dict(ranked) or UNSET,
    )


def syscall_detail(
    snapshot: Snapshot, call: CallStat, period: Period = ALWAYS
) -> records.SyscallDetail:
    """Return everything about one system call in a snapshot, which is of a range of time."""
    from_ms, to_ms = period.covered_ms(snapshot) if period else (UNSET, UNSET)
    samples = snapshot.sums.failures.get(call.name, ())
    (costed,) = with_costs(snapshot, [call])
    return records.SyscallDetail(
        **asdict(syscall(costed)),
        avg_time=call.tally.average_ns,
        p50=call.p50_ns,
        err_pct=round(100 * call.error_share, 3),
        histogram=bars(call.tally.histogram),
        reference=reference(lookup(call.name)),
        recent_errors=[recent_error(sample) for sample in samples] or UNSET,
        from_ms=from_ms,
        to_ms=to_ms,
        exact_range=snapshot.is_exact_part if period else UNSET,
    )


def bars(histogram: Histogram) -> list[records.Bar]:
    """Return how many durations fell into each bucket."""
    return [records.Bar(most, count) for most, count in histogram.bars()]


def recent_error(sample: Failure) -> records.RecentError:
    """Return one failed call."""
    return records.RecentError(rfc3339(sample.time_ns), sample.pid, sample.errno, sample.args)


def reference(entry: Syscall | None) -> records.Reference:
    """Return the documentation of a system call."""
    entry = entry or _NO_REFERENCE
    return records.Reference(
        category=entry.category.value,
        description=entry.summary,
        signature=entry.signature,
        arguments=[records.ArgumentNote(each.name, each.kind.value) for each in entry.arguments],
        returns=entry.returns,
        errnos=[records.ErrnoNote(each.name, each.meaning) for each in entry.errnos],
        advice=entry.advice,
    )


def status(snapshot: Snapshot) -> records.Status:
    """Return the state of the traced process and of the trace."""
    return records.Status(
        proc=records.Process(**attrs.asdict(snapshot.source.process)),
        total=snapshot.total,
        errors=snapshot.errors,
        rate=snapshot.rate,
        unique=len(snapshot.calls),
        elapsed=elapsed(snapshot.elapsed_ns),
        done=snapshot.done,
        state=state(snapshot),
        backend=snapshot.source.backend,
        only=snapshot.source.only,
        exit_code=snapshot.end.exit_code,
        exit_signal=snapshot.end.exit_signal,
        trouble=snapshot.trouble,
        exact=snapshot.is_exact,
        in_progress=sum(bool(thread.call) for thread in now_of(snapshot).values()),
        reading=_reading(snapshot),
        recordings=list(map(_recording, snapshot.recordings)) or UNSET,
    )


def log(snapshot: Snapshot) -> list[records.LogEntry]:
    """Return the newest calls, the oldest of them first."""
    return [log_entry(snapshot, entry) for entry in snapshot.sums.log]


def log_entry(snapshot: Snapshot, entry: LogEntry) -> records.LogEntry:
    """Return one call."""
    return records.LogEntry(
        time=rfc3339(entry.time_ns),
        pid=entry.pid,
        name=entry.name,
        args=entry.args,
        ret_val=entry.ret,
        error=entry.error,
        duration=entry.duration_ns,
        waited=entry.waited,
        object=named_object(snapshot, entry.object),
    )


def named_object(snapshot: Snapshot, number: int) -> records.ObjectName:
    """Return an object for where it is mentioned."""
    info = info_of(snapshot, number)
    name = "" if number == NO_OBJECT else object_name(info)
    return records.ObjectName(object_text(number), info.kind.value, name)


def by_category(snapshot: Snapshot) -> dict[str, records.CategoryTotal]:
    """Return the totals of each category that occurs."""
    return {
        category.value: records.CategoryTotal(tally.count, tally.errors, tally.total_ns)
        for category, tally in categories(snapshot.calls).items()
    }


def files(snapshot: Snapshot) -> list[records.FileCount]:
    """Return the opened paths, the commonest first."""
    return file_counts(opened_paths(snapshot))


def file_counts(paths: Sequence[PathTally]) -> list[records.FileCount]:
    """Return how often each of some paths was opened."""
    return [records.FileCount(each.path, each.count, each.failed) for each in paths]


def history(snapshot: Snapshot) -> list[records.HistoryPoint]:
    """Return one point for each of the newest seconds, including those without calls."""
    seconds = snapshot.sums.window.seconds
    if not seconds or snapshot.now_ns is None:
        return []
    last = snapshot.now_ns // SECOND_NS
    first = max(min(seconds), last - HISTORY_S + 1)
    return [_point(at, seconds.get(at, {})) for at in range(first, last + 1)]


def processes(snapshot: Snapshot) -> list[records.ProcessTotal]:
    """Return all processes, with their own tables if those are kept."""
    return [
        process_total(pid, tally, call_stats(snapshot.sums.by_process.get(pid, {}), {}, {}))
        for pid, tally in sorted(snapshot.sums.processes.items())
    ]


def fidelity(snapshot: Snapshot) -> records.Fidelity:
    """Return what is not exact, and why."""
    reading = snapshot.sums.reading
    ledger = snapshot.sums.ledger
    return records.Fidelity(
        exact=snapshot.is_exact,
        verdict=verdict(snapshot),
        ledger=_by_key(attrs.asdict(ledger)),
        explanations=list(notes(ledger).values()),
        inexact=_by_key(notes(ledger.only(Weight.LOST))),
        noted=_by_key(notes(ledger.only(Weight.NOTED))),
        reading=records.LinesRead(reading.lines, reading.records, reading.halves, reading.notes),
    )


def _by_key(entries: Mapping[str, Value]) -> dict[str, Value]:
    return {_pascal(name): value for name, value in entries.items()}


def page(endpoints: Sequence[records.Endpoint], number: int, per_page: int) -> records.EndpointPage:
    """Return one page of the index."""
    begin = (number - 1) * per_page
    return records.EndpointPage(
        total=len(endpoints),
        page=number,
        per_page=per_page,
        items=list(endpoints[begin : begin + per_page]),
    )


def _recording(recorded: RecordingState) -> records.Recording:
    return records.Recording(
        text=recording.sentence(recorded),
        place=recorded.place,
        calls=recorded.calls,
        unfinished=recorded.unfinished,
        bytes=recorded.written_bytes,
        lost=recorded.lost,
        trouble=recorded.trouble,
        complete=recorded.is_complete,
        kept_from=recorded.kept_from_ns or None,
        kept_to=recorded.kept_to_ns or None,
        saves=list(map(save, recorded.saves)),
    )


def save(made: Save) -> records.Save:
    """Return a save of a flight recorder."""
    return records.Save(place=made.place, reason=made.reason, trouble=made.trouble)


def _reading(snapshot: Snapshot) -> records.Reading | UnsetType:
    if not snapshot.is_of_log:
        return UNSET
    reading, total = snapshot.sums.reading, snapshot.source.total_bytes
    part = snapshot.part_read
    percent = None if part is None else round(100 * part, 1)
    return records.Reading(reading.bytes, total, reading.lines, percent)


def _point(second: int, calls: Mapping[str, SecondTotals]) -> records.HistoryPoint:
    sums: dict[str, SecondTotals] = {}
    for name, totals in calls.items():
        category = category_of(name).value
        sums[category] = sums.get(category, NO_CALLS) + totals
    whole = sum(sums.values(), start=NO_CALLS)
    return records.HistoryPoint(
        time=rfc3339(second * SECOND_NS),
        calls=whole.count,
        errors=whole.errors,
        time_ns=whole.total_ns,
        categories={
            category: records.CategoryTotal(totals.count, totals.errors, totals.total_ns)
            for category, totals in sums.items()
        },
    )


def process_total(
    pid: int, tally: ProcessTally, table: Sequence[CallStat] = ()
) -> records.ProcessTotal:
    """Return the totals of a process, with its table of calls if one is given."""
    return records.ProcessTotal(
        pid=pid,
        parent=tally.parent,
        comm=tally.comm,
        count=tally.count,
        errors=tally.errors,
        total_time=tally.total_ns,
        ending=tally.ending,
        lives=tally.lives,
        calls=[syscall(call) for call in table] or UNSET,
    )


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
