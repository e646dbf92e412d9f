#!/usr/bin/env python3
"""
Measure what views of many rows cost: the data of a dashboard, the summary, and the table itself.

    python bench/rows.py [--processes N] [--rounds N] [--tiny]

Many short processes make the same calls on shared files and on some of their own, as in a build.
Every view is made anew, as the first one after a tick is.  The time is compared with a loop in the
same run that only groups the rows by object: no view of all rows can be made with less.
"""

import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

import attrs
import common

from syswatch.app.garbage import begin_collecting
from syswatch.codec.frames import decoded, encode
from syswatch.model.activity import Activity, ActivityKey, Sums
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Calls, Delta, Span
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import FINE_MS, Timeline
from syswatch.views.board import PARTS, BoardQuery
from syswatch.views.summary import summary
from syswatch.views.text_table import plain

PROCESSES = 600
# What each process does: calls on files that all use, and on its own.
_SHARED, _OWN = 300, 3
_ROWS = 100
_CALLS = ("openat", "read", "newfstatat", "close", "mmap", "write")
_BEGIN_NS = 1_790_000_000_000_000_000
_BETWEEN_NS = 10_000_000
_PROCESSES_IN_A_DELTA = 100


def main() -> None:
    """Measure each view."""
    parser = common.parser("Measure what views of many rows cost.")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="short processes")
    parser.add_argument("--rounds", type=int, default=9, help="rounds, of which the median counts")
    arguments = parser.parse_args()
    processes, rounds = (20, 1) if arguments.tiny else (arguments.processes, arguments.rounds)
    deltas = list(deltas_of(processes))
    aggregator = Aggregator()
    for delta in deltas:
        aggregator.add(delta)
    # As in a service.
    begin_collecting()
    rows = aggregator.snapshot().sums.activity
    print(f"{len(rows):,} rows of {processes:,} processes")
    frames = [encode(delta) for delta in deltas]
    measures: dict[str, Callable[[Snapshot], object]] = {
        "the data of a dashboard with all parts": BoardQuery(parts=PARTS),
        "the summary": lambda snapshot: summary(snapshot, plain, width=150),
        "decoding the deltas": lambda _: [decoded(frame) for frame in frames],
        "adding the deltas": lambda _: added(deltas),
    }
    least: list[float] = []
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        least.append(cpu_s(grouped, aggregator.snapshot()))
        for name, measure in measures.items():
            found[name].append(cpu_s(measure, aggregator.snapshot()))
    print(f"  {statistics.median(least) * 1000:.3g} ms of CPU to group them by object")
    for name, times in found.items():
        milliseconds, times_least = statistics.median(times) * 1000, common.ratio(times, least)
        print(f"  {milliseconds:.3g} ms of CPU for {name}, {times_least:.1f} x that")


def cpu_s(measure: Callable[[Snapshot], object], snapshot: Snapshot) -> float:
    """Return the CPU time that a view of a snapshot takes."""
    begin = time.process_time()
    measure(snapshot)
    return time.process_time() - begin


def grouped(snapshot: Snapshot) -> dict[int, list[int]]:
    """Group the rows by object in plain Python."""
    found: dict[int, list[int]] = {}
    for key, row in snapshot.sums.activity.items():
        sums = found.setdefault(key.object, [0, 0, 0])
        sums[0] += row.count
        sums[1] += row.working_ns
        sums[2] += row.waiting_ns
    return found


def added(deltas: list[Delta]) -> Delta:
    """Add deltas, as the aggregator does."""
    return sum(deltas[1:], start=deltas[0])


def deltas_of(processes: int) -> Iterator[Delta]:
    """Yield what a tracer would send of so many processes."""
    source = random.Random(1)  # noqa: S311  the same numbers in every run
    for first in range(0, processes, _PROCESSES_IN_A_DELTA):
        pids = range(first + 1000, min(first + _PROCESSES_IN_A_DELTA, processes) + 1000)
        parts = [_process(pid, source) for pid in pids]
        yield attrs.evolve(added(parts), span=Span(_began_ns(pids[0]), _began_ns(pids[-1])))


def _process(pid: int, source: random.Random) -> Delta:
    own = [_SHARED + pid * _OWN + each for each in range(_OWN)]
    numbers = [*(source.randrange(1, _SHARED + 1) for _ in range(_ROWS)), *own]
    rows = {
        ActivityKey(pid, pid, number, source.choice(_CALLS)): Sums(
            source.randrange(1, 9),
            bytes_in=source.randrange(4096),
            working_ns=source.randrange(10**6),
        )
        for number in numbers
    }
    working_ns = sum(row.working_ns for row in rows.values())
    waiting = {Wait(own[0], "read"): source.randrange(10**7)}
    times = ThreadTimes(user_ns=source.randrange(10**7), working_ns=working_ns, waiting=waiting)
    at = _began_ns(pid) // (FINE_MS * 1_000_000)
    return Delta(
        calls=_calls(rows),
        activity=rows,
        objects={
            number: ObjectInfo(ObjectKind.FILE, f"/usr/lib/{number}.so") for number in numbers
        },
        threads={pid: ThreadTally(pid, "cc1", times, len(rows))},
        timeline=Timeline({at: {pid: times}}),
    )


def _calls(rows: Activity) -> Calls:
    calls: dict[str, CallTally] = defaultdict(CallTally)
    for key, row in rows.items():
        calls[key.call] += CallTally(row.count, total_ns=row.working_ns)
    return calls


def _began_ns(pid: int) -> int:
    return _BEGIN_NS + pid * _BETWEEN_NS


if __name__ == "__main__":
    main()
