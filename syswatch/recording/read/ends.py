"""
When threads ended, which is how long calls that never returned have lasted.

The end of a process is recorded; that of another thread is known from the next delta, which is made
up to a third of a second later.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import attrs

from syswatch.model.times import LONGEST_NS
from syswatch.recording.exits import is_exit
from syswatch.recording.extra import load

from .batch import Batch
from .opening import Recording
from .parquet import check_types, damages, open_parquet
from .tallies import name_of

_FILE = "processes.parquet"
_TYPES = {
    "pid": "int32",
    "parent": "int32",
    "start": "timestamp[ns, tz=UTC]",
    "end": "timestamp[ns, tz=UTC]",
    "ending": "string",
}

Ends = Mapping[int, Sequence[int]]


class ProcessRow(NamedTuple):
    """A process, as the table of processes describes it."""

    pid: int
    parent: int
    # None if it is older than the trace.
    start_ns: int | None
    end_ns: int | None
    ending: str


def process_rows(recording: Recording) -> list[ProcessRow]:
    """Return the processes; none while no table has been written."""
    try:
        with open_parquet(recording.folder / _FILE) as file:
            check_types(file, _TYPES)
            table = file.read(columns=list(_TYPES))
        columns = [
            table[name].cast("int64") if kind.startswith("timestamp") else table[name]
            for name, kind in _TYPES.items()
        ]
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
    except damages():
        return []  # It is replaced while the trace is running, and not needed for any sum.
    return [
        ProcessRow(pid, parent or 0, start_ns, end_ns, ending or "")
        for pid, parent, start_ns, end_ns, ending in rows
        if pid is not None
    ]


def process_ends(recording: Recording) -> Ends:
    """Return when the processes with a PID ended."""
    ends: dict[int, list[int]] = {}
    for row in process_rows(recording):
        if row.end_ns is not None:
            ends.setdefault(row.pid, []).append(row.end_ns)
    return ends


def until_ends(batch: Batch, processes: Ends, threads: Ends) -> Batch:
    """Return calls of which those that never returned end with their thread."""
    numpy = load("numpy")
    end = batch.end.copy()
    for place in numpy.flatnonzero(~batch.returned).tolist():
        began_ns = int(batch.start[place])
        if is_exit(name_of(batch, batch.name[place])):
            end[place] = began_ns
        else:
            pid, tid = int(batch.pid[place]), int(batch.tid[place])
            end[place] = first_end(began_ns, processes.get(pid, ()), threads.get(tid, ()))
    return attrs.evolve(batch, end=end)


def first_end(began_ns: int, process: Iterable[int], thread: Iterable[int]) -> int:
    """Return when a call ended with its process or thread, of which these are the ends."""
    return min((each for each in (*process, *thread) if each >= began_ns), default=LONGEST_NS)
