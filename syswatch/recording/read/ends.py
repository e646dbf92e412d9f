"""
When threads ended, which is how long calls that never returned have lasted.

The end of a process is recorded; that of another thread is known from the next delta, which is made
up to a third of a second later.
"""

from collections.abc import Mapping, Sequence

import attrs

from syswatch.model.times import LONGEST_NS
from syswatch.recording.exits import is_exit
from syswatch.recording.extra import load

from .batch import Batch
from .opening import Recording
from .parquet import check_types, damages, open_parquet
from .tallies import name_of

_FILE = "processes.parquet"
_TYPES = {"pid": "int32", "end": "timestamp[ns, tz=UTC]"}

Ends = Mapping[int, Sequence[int]]


def process_ends(recording: Recording) -> Ends:
    """Return when the processes with a PID ended; nothing while no table has been written."""
    ends: dict[int, list[int]] = {}
    try:
        with open_parquet(recording.folder / _FILE) as file:
            check_types(file, _TYPES)
            table = file.read(columns=list(_TYPES))
        pids, at_ns = table["pid"].to_pylist(), table["end"].cast("int64").to_pylist()
        for pid, end_ns in zip(pids, at_ns, strict=True):
            if pid is not None and end_ns is not None:
                ends.setdefault(pid, []).append(end_ns)
    except damages():
        return ends  # It is replaced while the trace is running, and not needed for any sum.
    return ends


def until_ends(batch: Batch, processes: Ends, threads: Ends) -> Batch:
    """Return calls of which those that never returned end with their thread."""
    numpy = load("numpy")
    end = batch.end.copy()
    for place in numpy.flatnonzero(~batch.returned).tolist():
        began_ns = int(batch.start[place])
        if is_exit(name_of(batch, batch.name[place])):
            end[place] = began_ns
            continue
        known = (
            *processes.get(int(batch.pid[place]), ()),
            *threads.get(int(batch.tid[place]), ()),
        )
        end[place] = min((each for each in known if each >= began_ns), default=LONGEST_NS)
    return attrs.evolve(batch, end=end)
