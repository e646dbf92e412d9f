"""
The shapes of the JSON that the service answers with.

Every key is written here and nowhere else.  Each function turns a part of a snapshot into
what `encode` makes bytes of.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import msgspec

from syswatch.model.catalog import Syscall, category_of, lookup
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.ledger import EXPLANATIONS, Ledger
from syswatch.model.snapshot import CallStat, Snapshot, call_stats, categories
from syswatch.model.window import HISTORY_S, NOTHING, SECOND_NS, Moment

from .moments import rfc3339
from .numbers import elapsed

Json = dict[str, Any]


def encode(shape: Any) -> bytes:
    """Return the JSON of a shape."""
    return msgspec.json.encode(shape)


def stats(snapshot: Snapshot) -> list[Json]:
    """The table of system calls."""
    return [syscall(call) for call in snapshot.calls]


def syscall(call: CallStat) -> Json:
    """One row of the table."""
    tally = call.tally
    shape: Json = {
        "Name": call.name,
        "Category": call.category,
        "Count": tally.count,
        "Errors": tally.errors,
        "TotalTime": tally.total_ns,
        "MinTime": tally.min_ns,
        "MaxTime": tally.max_ns,
        "P95": call.p95_ns,
        "P99": call.p99_ns,
        "ErrRate60s": call.errors_60s,
    }
    if tally.errnos:
        shape["ErrorBreakdown"] = dict(
            sorted(tally.errnos.items(), key=lambda item: (-item[1], item[0]))
        )
    return shape


def syscall_detail(snapshot: Snapshot, call: CallStat) -> Json:
    """Everything about one system call."""
    detail = syscall(call)
    detail |= {
        "AvgTime": call.tally.average_ns,
        "P50": call.p50_ns,
        "ErrPct": round(100 * call.error_share, 3),
        "Histogram": [{"le": most, "count": count} for most, count in call.tally.histogram.bars()],
        "Reference": reference(lookup(call.name)),
    }
    if samples := snapshot.sums.failures.get(call.name):
        detail["RecentErrors"] = [failure(sample) for sample in samples]
    return detail


def failure(sample: Failure) -> Json:
    """One failed call."""
    return {
        "Time": rfc3339(sample.time_ns),
        "PID": sample.pid,
        "Errno": sample.errno,
        "Args": sample.args,
    }


def reference(entry: Syscall | None) -> Json:
    """What the catalog says of a system call; empty texts where it says nothing."""
    if entry is None:
        return {
            "Category": "OTHER",
            "Description": "",
            "Signature": "",
            "Arguments": [],
            "Returns": "",
            "Errnos": [],
            "Advice": "",
        }
    return {
        "Category": entry.category,
        "Description": entry.summary,
        "Signature": entry.signature,
        "Arguments": [{"Name": each.name, "Kind": each.kind} for each in entry.arguments],
        "Returns": entry.returns,
        "Errnos": [{"Name": each.name, "Meaning": each.meaning} for each in entry.errnos],
        "Advice": entry.advice,
    }


def status(snapshot: Snapshot) -> Json:
    """How the watched process and the watching are."""
    process = snapshot.source.process
    reading = snapshot.sums.reading
    part_read = snapshot.part_read
    shape: Json = {
        "Proc": {
            "PID": process.pid,
            "Comm": process.comm,
            "Cmdline": process.cmdline,
            "Exe": process.exe,
            "Cwd": process.cwd,
        },
        "Total": snapshot.total,
        "Errors": snapshot.errors,
        "Rate": float(snapshot.rate),
        "Unique": len(snapshot.calls),
        "Elapsed": elapsed(snapshot.elapsed_ns),
        "Done": snapshot.done,
        "Backend": snapshot.source.backend,
        "ExitCode": snapshot.end.exit_code,
        "ExitSignal": snapshot.end.exit_signal,
        "Trouble": snapshot.trouble,
        "Exact": snapshot.sums.ledger.clean,
    }
    if reading.lines or snapshot.source.total_bytes is not None:
        shape["Reading"] = {
            "Bytes": reading.bytes,
            "TotalBytes": snapshot.source.total_bytes,
            "Lines": reading.lines,
            "Percent": None if part_read is None else round(100 * part_read, 1),
        }
    return shape


def log(snapshot: Snapshot) -> list[Json]:
    """The newest calls, the oldest of them first."""
    return [log_entry(entry) for entry in snapshot.sums.log]


def log_entry(entry: LogEntry) -> Json:
    """One call."""
    return {
        "Time": rfc3339(entry.time_ns),
        "PID": entry.pid,
        "Name": entry.name,
        "Args": entry.args,
        "RetVal": entry.ret,
        "Error": entry.error,
    }


def by_category(snapshot: Snapshot) -> Json:
    """The sums over each category that was seen."""
    return {
        category.value: {"Count": tally.count, "Errs": tally.errors, "TotalTime": tally.total_ns}
        for category, tally in categories(snapshot.calls).items()
    }


def files(snapshot: Snapshot) -> list[Json]:
    """The opened paths, the commonest first."""
    ranked = sorted(snapshot.sums.paths.items(), key=lambda item: (-item[1], item[0]))
    return [{"path": path, "count": count} for path, count in ranked]


def history(snapshot: Snapshot) -> list[Json]:
    """One point for each of the newest seconds; a second without calls is a point of zeroes."""
    seconds = snapshot.sums.window.seconds
    if not seconds or snapshot.now_ns is None:
        return []
    last = snapshot.now_ns // SECOND_NS
    first = max(min(seconds), last - HISTORY_S + 1)
    return [_point(at, seconds.get(at, {})) for at in range(first, last + 1)]


def _point(second: int, calls: Mapping[str, Moment]) -> Json:
    sums: dict[str, Moment] = {}
    for name, moment in calls.items():
        category = category_of(name).value
        sums[category] = sums.get(category, NOTHING) + moment
    whole = sum(sums.values(), start=NOTHING)
    return {
        "Time": rfc3339(second * SECOND_NS),
        "Calls": whole.count,
        "Errors": whole.errors,
        "TimeNs": whole.total_ns,
        "Categories": {
            category: {"Count": moment.count, "Errs": moment.errors, "TotalTime": moment.total_ns}
            for category, moment in sums.items()
        },
    }


def processes(snapshot: Snapshot) -> list[Json]:
    """The processes that were seen; with their own tables where those are kept."""
    tables = snapshot.sums.by_process
    return [
        {
            "PID": pid,
            "Parent": tally.parent,
            "Comm": tally.comm,
            "Count": tally.count,
            "Errors": tally.errors,
            "TotalTime": tally.total_ns,
            "Ending": tally.ending,
        }
        | ({"Calls": [syscall(call) for call in call_stats(tables[pid], {}, {})]} if pid in tables else {})
        for pid, tally in sorted(snapshot.sums.processes.items())
    ]


def fidelity(snapshot: Snapshot) -> Json:
    """What is less than exact, and why."""
    reading = snapshot.sums.reading
    return {
        "Exact": snapshot.sums.ledger.clean,
        "Ledger": ledger(snapshot.sums.ledger),
        "Explanations": ledger_notes(snapshot.sums.ledger),
        "Reading": {
            "Lines": reading.lines,
            "Records": reading.records,
            "Halves": reading.halves,
            "Notes": reading.notes,
        },
    }


def ledger(entries: Ledger) -> dict[str, int]:
    """The ledger with its keys as they are served."""
    return {_camel(name): number for name, number in attrs.asdict(entries).items()}


def ledger_notes(entries: Ledger) -> list[str]:
    """A sentence for each entry that is not zero."""
    return [
        f"{number} {EXPLANATIONS[name]}" for name, number in attrs.asdict(entries).items() if number
    ]


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def error(word: str, message: str) -> Json:
    """The body of every answer that is no success."""
    return {"error": word, "message": message}


def page(items: Sequence[Json], number: int, per_page: int) -> Json:
    """One page of a list."""
    begin = (number - 1) * per_page
    return {
        "total": len(items),
        "page": number,
        "per_page": per_page,
        "items": list(items[begin : begin + per_page]),
    }


def endpoint(path: str, method: str, description: str) -> Json:
    """One line of the index of endpoints."""
    return {"path": path, "method": method, "description": description}
