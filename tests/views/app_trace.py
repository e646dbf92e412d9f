"""A trace of a program with a database, a lock and many files, for tests of views."""

from collections.abc import Iterator

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.process import ProcessTally
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import Timeline
from syswatch.model.times import SECOND_NS
from syswatch.model.waits import WaitTally

from .snapshots import BEGIN_S

BEGIN_NS = BEGIN_S * SECOND_NS
MS_NS = 1_000_000
PID = 41
DATABASE = ObjectInfo(
    ObjectKind.TCP, "10.0.0.5:5432", service="postgresql", side=Side.CLIENT, local="10.0.0.2:40112"
)
FILE = ObjectInfo(ObjectKind.FILE, "/var/lib/app/db.wal")
LISTENING = ObjectInfo(ObjectKind.TCP, "listening on 0.0.0.0:8080", side=Side.LISTENING)
PIPE = ObjectInfo(ObjectKind.PIPE, "pipe [12345]", detail="written by cat (12), read by wc (13)")
LIBRARIES = [
    ObjectInfo(ObjectKind.FILE, f"/usr/lib/python3.11/lib-dynload/module_{at:02}.cpython-311.so")
    for at in range(60)
]
# Object, call, milliseconds waiting in all, number of calls.
WAITS = (
    (DATABASE, "recvfrom", 3100, 40),
    (FILE, "fsync", 800, 20),
    (PIPE, "read", 200, 60),
    (LISTENING, "accept4", 6000, 30),
)
_NAMES = ("app", "worker-1", "worker-2", "listener")
_WORKING_NS = 50_000


def app_trace() -> Delta:
    """Return what was counted of 300 calls within 4.2 s by four threads."""
    rows = dict(_rows())
    calls: dict[str, CallTally] = {}
    for key, sums in rows.items():
        calls[key.call] = calls.get(key.call, CallTally()) + _tally(sums)
    return Delta(
        calls=calls,
        activity=rows,
        objects={info.id: info for info in (DATABASE, FILE, LISTENING, PIPE, *LIBRARIES)},
        threads={
            PID + at: ThreadTally(PID, name, _times(at), 75) for at, name in enumerate(_NAMES)
        },
        timeline=_timeline(),
        slowest=Slowest.of(_slow_calls()),
        processes={PID: ProcessTally(comm="app", count=300)},
        span=Span(BEGIN_NS, BEGIN_NS + 4200 * MS_NS),
    )


def _rows() -> Iterator[tuple[ActivityKey, Sums]]:
    for at, (info, call, waiting_ms, number) in enumerate(WAITS):
        sums = Sums(
            count=number,
            bytes_in=4096 * number,
            working_ns=_WORKING_NS * number,
            waiting_ns=waiting_ms * MS_NS,
            waits=number,
        )
        yield ActivityKey(PID, PID + at, info.id, call), sums
    for info in LIBRARIES:
        yield ActivityKey(PID, PID, info.id, "openat"), Sums(count=1, working_ns=_WORKING_NS)
    for call in ("brk", "getpid", "mmap"):
        yield ActivityKey(PID, PID, 0, call), Sums(count=30, working_ns=30 * _WORKING_NS)


def _tally(sums: Sums) -> CallTally:
    each_ns = sums.total_ns // sums.count
    return CallTally(
        count=sums.count,
        total_ns=sums.total_ns,
        min_ns=each_ns,
        max_ns=each_ns,
        histogram=Histogram.of([each_ns] * sums.count),
        waits=WaitTally(sums.waits, sums.waiting_ns),
    )


def _times(at: int) -> ThreadTimes:
    info, call, waiting_ms, _ = WAITS[at]
    waiting = {Wait(info.id, call): waiting_ms * MS_NS}
    return ThreadTimes(200 * MS_NS, 20 * MS_NS, 5 * MS_NS, MS_NS, waiting)


def _timeline() -> Timeline:
    timeline = Timeline()
    for at in range(420):
        threads = {
            PID + place: ThreadTimes(MS_NS, waiting={Wait(info.id, call): 9 * MS_NS})
            for place, (info, call, *_) in enumerate(WAITS)
        }
        timeline += Timeline.at(BEGIN_NS + at * 10 * MS_NS, threads, bin_ms=10)
    return timeline


def _slow_calls() -> Iterator[SlowCall]:
    for place, (info, call, waiting_ms, number) in enumerate(WAITS):
        for at in range(number):
            waiting_ns = waiting_ms * MS_NS // number + at
            yield SlowCall(
                duration_ns=waiting_ns + _WORKING_NS,
                time_ns=BEGIN_NS + at * MS_NS,
                pid=PID,
                tid=PID + place,
                name=call,
                args=f'3, "GET /items/{at} HTTP/1.1\\r\\nHost: example.org\\r\\n"..., 4096',
                ret="4096",
                error="",
                waiting_ns=waiting_ns,
                object=info.id,
            )
