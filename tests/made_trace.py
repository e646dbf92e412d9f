"""A made-up trace in which several threads waited, for the pages that show where the time went."""

from collections.abc import Mapping

import attrs

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import LogEntry
from syswatch.model.histogram import Histogram
from syswatch.model.messages import Ended, Started
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import Timeline
from syswatch.model.times import SECOND_NS
from syswatch.model.waits import WaitTally

BEGIN_S = 1_700_000_000
MS = 1_000_000
DATABASE = ObjectInfo(
    ObjectKind.TCP, "10.0.0.5:5432", local="10.0.0.9:40112", service="postgresql", side=Side.CLIENT
)
WAL = ObjectInfo(ObjectKind.FILE, "/var/lib/app/db.wal")
LISTENER = ObjectInfo(ObjectKind.TCP, "listening on 0.0.0.0:8080", side=Side.LISTENING)
LOCK = ObjectInfo(ObjectKind.FUTEX, "app (41) 0x7f12a0 in [heap]")
CONFIG = ObjectInfo(ObjectKind.FILE, "/etc/app/conf.d/" + "very-long-name-" * 6 + ".conf")
TREE = ObjectInfo(ObjectKind.CHILD, "convert (77)", pids=(77,))


@attrs.frozen
class Part:
    """What a thread did in one second in calls of one name on one object."""

    call: str
    info: ObjectInfo
    waiting_ms: int
    working_ms: int = 0
    count: int = 4
    errors: int = 0
    bytes_in: int = 0
    bytes_out: int = 0


@attrs.frozen
class Plan:
    """A thread: what it does in each second; the rest of it is its own code."""

    pid: int
    comm: str
    parts: tuple[Part, ...]
    now: str
    ready_ms: int = 0


PLANS: Mapping[int, Plan] = {
    41: Plan(41, "app", (Part("accept4", LISTENER, 970, 5),), "accept4"),
    42: Plan(
        41,
        "worker-1",
        (
            Part("recvfrom", DATABASE, 620, 4, bytes_in=40_960),
            Part("sendto", DATABASE, 0, 3, bytes_out=900),
            Part("fsync", WAL, 190, 12, count=2),
            Part("pwrite64", WAL, 0, 8, bytes_out=65_536),
            Part("openat", CONFIG, 0, 1, count=3, errors=3),
        ),
        "recvfrom",
        ready_ms=20,
    ),
    43: Plan(41, "worker-2", (Part("futex", LOCK, 480, 2, count=9),), ""),
    44: Plan(44, "convert", (Part("wait4", TREE, 900, 1, count=1),), "wait4"),
}


def delta_of(second: int) -> Delta:
    """Return what the threads did in one second of the trace."""
    at_ns = (BEGIN_S + second) * SECOND_NS
    whole = Delta()
    for tid, plan in PLANS.items():
        for part in plan.parts:
            whole += _delta(at_ns, tid, plan, part)
    times = {tid: _times(plan) for tid, plan in PLANS.items()}
    return whole + Delta(
        threads={
            tid: ThreadTally(plan.pid, plan.comm, times[tid], sum(p.count for p in plan.parts))
            for tid, plan in PLANS.items()
        },
        timeline=Timeline.at(at_ns, times, bin_ms=1000),
        now=Now(at_ns + SECOND_NS, {tid: _now(plan, at_ns) for tid, plan in PLANS.items()}),
        span=Span(at_ns, at_ns + SECOND_NS - 1),
        processes={
            pid: ProcessTally(comm=comm, count=sum(p.count for p in PLANS[pid].parts))
            for pid, comm in ((41, "app"), (44, "convert"))
        },
    )


def _delta(at_ns: int, tid: int, plan: Plan, part: Part) -> Delta:
    number = part.info.id
    waiting_ns, working_ns = part.waiting_ms * MS, part.working_ms * MS
    each_ns = (waiting_ns + working_ns) // part.count
    waits = part.count if waiting_ns else 0
    histogram = Histogram.of([waiting_ns // part.count] * waits)
    slow = SlowCall(
        each_ns, at_ns, plan.pid, tid, part.call, "4, …", "1", "", waiting_ns // part.count, number
    )
    entry = LogEntry(at_ns, tid, part.call, "4, …", "1", "ENOENT" if part.errors else "")
    return Delta(
        calls={
            part.call: CallTally(
                part.count,
                part.errors,
                waiting_ns + working_ns,
                each_ns,
                each_ns,
                Histogram.of([each_ns] * part.count),
                {"ENOENT": part.errors} if part.errors else {},
                WaitTally(waits, waiting_ns, 0, histogram),
            )
        },
        activity={
            ActivityKey(plan.pid, tid, number, part.call): Sums(
                part.count,
                part.errors,
                part.bytes_in,
                part.bytes_out,
                working_ns,
                waiting_ns,
                0,
                waits,
            )
        },
        objects={number: part.info},
        object_waits={number: histogram} if waits else {},
        slowest=Slowest.of([slow]),
        log=(attrs.evolve(entry, duration_ns=each_ns, waited=bool(waits), object=number),),
    )


def _times(plan: Plan) -> ThreadTimes:
    working = sum(part.working_ms for part in plan.parts)
    waiting = {
        Wait(part.info.id, part.call): part.waiting_ms * MS
        for part in plan.parts
        if part.waiting_ms
    }
    user = 1000 - working - plan.ready_ms - sum(part.waiting_ms for part in plan.parts)
    return ThreadTimes(user * MS, working * MS, plan.ready_ms * MS, 0, waiting)


def _now(plan: Plan, at_ns: int) -> ThreadNow:
    if not plan.now:
        return ThreadNow(plan.pid, plan.comm, Doing.RUNNING)
    part = next(part for part in plan.parts if part.call == plan.now)
    since_ns = at_ns + (1000 - part.waiting_ms) * MS
    return ThreadNow(
        plan.pid,
        plan.comm,
        Doing.IN_CALL,
        part.call,
        since_ns,
        waits=True,
        object=part.info.id,
        args="4, …",
    )


def snapshot_of(seconds: int, *, done: bool) -> Snapshot:
    """Return the snapshot of a trace of so many seconds."""
    aggregator = Aggregator()
    process = ProcessInfo(41, "app", "/usr/bin/app --serve", "/usr/bin/app", "/srv")
    aggregator.started(Started(backend="test", process=process))
    for second in range(seconds):
        aggregator.add(delta_of(second))
    if done:
        aggregator.ended(Ended(0))
    return aggregator.snapshot()
