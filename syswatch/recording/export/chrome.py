"""Chrome's trace event format: JSON that many viewers read."""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from syswatch.model.catalog import category_of
from syswatch.model.times import SECOND_NS

from .selection import Row, Selection

_MICROSECOND_NS = 1000


def write(selection: Selection, out: BinaryIO) -> None:
    """Write the events, one in each line."""
    out.write(b'{"displayTimeUnit":"ns","traceEvents":[')
    separator = b"\n"
    for events in _parts(selection):
        for event in events:
            out.write(separator + msgspec.json.encode(event))
            separator = b",\n"
    out.write(b"\n]}\n")


def _parts(selection: Selection) -> Iterator[Iterator[dict[str, Any]]]:
    threads: dict[int, int] = {}
    for rows in selection.parts():
        threads |= {row.tid: row.pid for row in rows}
        yield (_call(selection, row) for row in rows)
    yield _names(selection, threads)
    yield (
        {
            "ph": "C",
            "name": "missing calls",
            "pid": threads.get(loss.tid, 0),
            "ts": _microseconds(loss.second * SECOND_NS),
            "args": {f"thread {loss.tid}": loss.calls},
        }
        for loss in selection.losses()
    )


def _call(selection: Selection, row: Row) -> dict[str, Any]:
    """Return the event of a call: a complete one, or one that only begins."""
    event = {
        "ph": "B" if row.duration_ns is None else "X",
        "name": row.name,
        "cat": str(category_of(row.name)),
        "ts": _microseconds(row.start_ns),
        "pid": row.pid,
        "tid": row.tid,
        "args": details(selection, row),
    }
    if row.duration_ns is not None:
        event["dur"] = _microseconds(row.duration_ns)
    return event


def _names(selection: Selection, threads: dict[int, int]) -> Iterator[dict[str, Any]]:
    for pid in sorted(set(threads.values())):
        yield _name("process_name", pid, pid, selection.commands.get(pid, ""))
    for tid, pid in sorted(threads.items()):
        thread = selection.known.threads.get(tid)
        yield _name("thread_name", pid, tid, thread.comm if thread else "")


def _name(kind: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    args = {"name": name or f"{kind.partition('_')[0]} {tid}"}
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": args}


def details(selection: Selection, row: Row) -> dict[str, str | int]:
    """Return what else is known of a call, by name."""
    found = selection.object(row)
    shown = row.ret if row.ret is not None and row.errno is None else row.result
    known: dict[str, str | int | None] = {
        "args": row.args,
        "result": None if row.duration_ns is None else shown,
        "errno": row.errno,
        "object": found.name if found else None,
        "kind": found.kind.value if found else None,
        "bytes": row.bytes or None,
        "waiting_ns": row.waiting_ns or None,
        "ready_ns": row.ready_ns or None,
    }
    return {name: value for name, value in known.items() if value is not None}


def _microseconds(nanoseconds: int) -> msgspec.Raw:
    """Return microseconds with all digits, which a floating-point number does not have."""
    whole, fraction = divmod(nanoseconds, _MICROSECOND_NS)
    return msgspec.Raw(f"{whole}.{fraction:03}".encode())
