"""A log that is half read, and the records of the API as a client decodes them."""

import json
from typing import Any

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Reading
from syswatch.model.messages import Ended, Started
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.model.window import SecondTotals, Window
from syswatch.views.records import encode

NS = 10**9
NOW_S = 1_700_000_000
OPENAT = CallTally(
    count=4,
    errors=3,
    total_ns=100_000,
    min_ns=10_000,
    max_ns=40_000,
    histogram=Histogram.of([10_000, 20_000, 30_000, 40_000]),
    errnos={"EACCES": 1, "ENOENT": 2},
)
DELTA = Delta(
    calls={"openat": OPENAT, "close": CallTally(count=4), "mystery": CallTally(count=9)},
    processes={7: ProcessTally(3, "cat", 17, 3, 100_000, "exited with 0")},
    paths={"/b": 2, "/a": 2, "/c": 3},
    failed_paths={"/a": 2, "/c": 1},
    failures={"openat": (Failure(NOW_S * NS + 1, 7, "ENOENT", 'AT_FDCWD, "/nope"'),)},
    log=(
        LogEntry(NOW_S * NS + 1, 7, "openat", 'AT_FDCWD, "/nope"', "-1", "ENOENT"),
        LogEntry(None, 7, "close", "3", "0", ""),
    ),
    window=Window(
        {
            NOW_S - 2: {"openat": SecondTotals(3, 3, 60_000), "close": SecondTotals(1)},
            NOW_S: {"openat": SecondTotals(1, 0, 40_000)},
        }
    ),
    span=Span((NOW_S - 83) * NS, NOW_S * NS),
    reading=Reading(50, 20, 17, 2, 1),
)


def snapshot(delta: Delta = DELTA, *, done: bool = False) -> Snapshot:
    """Return a snapshot of a log that is half read."""
    aggregator = Aggregator()
    process = ProcessInfo(7, "cat", "cat /nope", "/usr/bin/cat", "/srv")
    aggregator.started(Started("strace log", process, total_bytes=100))
    aggregator.add(delta)
    if done:
        aggregator.ended(Ended(exit_code=1))
    return aggregator.snapshot()


def decoded(record: object) -> Any:
    """Return the response as a client decodes it."""
    return json.loads(encode(record))
