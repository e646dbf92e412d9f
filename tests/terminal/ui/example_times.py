"""Where the time of the example server went: objects, threads, waits, slow calls."""

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, Timeline

from .harness import HOSTILE, NOW_S

_NS = 10**9
_MS = 10**6
_SECONDS = 724
_END_NS = (NOW_S + _SECONDS) * _NS

DATABASE = ObjectInfo(
    ObjectKind.TCP,
    "10.0.0.5:5432",
    local="10.0.0.7:40112",
    service="postgresql",
    host="db.internal",
    side=Side.CLIENT,
)
LISTENER = ObjectInfo(ObjectKind.TCP, "listening on 0.0.0.0:80", side=Side.LISTENING)
CLIENT = ObjectInfo(
    ObjectKind.TCP, "192.0.2.7 -> :80", local="10.0.0.7:80", service="http", side=Side.SERVER
)
JOURNAL = ObjectInfo(ObjectKind.FILE, "/var/lib/app/db.wal")
PAGE = ObjectInfo(ObjectKind.FILE, "/srv/www/index.html")
HOSTILE_FILE = ObjectInfo(ObjectKind.FILE, f"/srv/{HOSTILE}")
LOOP = ObjectInfo(ObjectKind.EPOLL, "epoll 8 of nginx (4712)")
QUEUE = ObjectInfo(ObjectKind.FUTEX, "worker (4713): 0x7f98a4001230 in [heap]")
LOCK = ObjectInfo(ObjectKind.FUTEX, "worker (4713): 0x7f12a0000b70 in [heap]")
PIPE = ObjectInfo(
    ObjectKind.PIPE,
    "pipe [81123]",
    detail="written by worker (4713), read by nginx (42)",
    pids=(42,),
)
CHILD = ObjectInfo(ObjectKind.CHILD, "sh (4790)", pids=(4790,))
TICK = ObjectInfo(ObjectKind.TIMERFD, "timerfd 4 of wal-writer (4713)")
_OBJECTS = (
    *(DATABASE, LISTENER, CLIENT, JOURNAL, PAGE),
    *(HOSTILE_FILE, LOOP, LOCK, QUEUE, PIPE, CHILD, TICK),
)
_NO_OBJECT = ObjectInfo(ObjectKind.NONE)


def _row(  # noqa: PLR0913  one line for each row
    pid: int,
    tid: int,
    info: ObjectInfo,
    call: str,
    count: int,
    *,
    errors: int = 0,
    size: tuple[int, int] = (0, 0),
    working_ms: int = 0,
    waiting_ms: int = 0,
    ready_ms: int = 0,
    waits: int = 0,
) -> tuple[ActivityKey, Sums]:
    return ActivityKey(pid, tid, info.id, call), Sums(
        count, errors, *size, working_ms * _MS, waiting_ms * _MS, ready_ms * _MS, waits
    )


_ACTIVITY = dict(
    (
        _row(4712, 4712, LOOP, "epoll_wait", 12_200, waiting_ms=90_000, waits=900),
        _row(4712, 4712, CLIENT, "epoll_wait", 28_000, waiting_ms=510_000, waits=27_000),
        _row(4712, 4712, LISTENER, "accept4", 1_830, errors=611, working_ms=16),
        _row(
            4712, 4712, CLIENT, "recvfrom", 4_900, errors=2_300, size=(1_900_000, 0), working_ms=9
        ),
        _row(4712, 4712, CLIENT, "sendto", 6_100, errors=44, size=(0, 48_000_000), working_ms=110),
        _row(4712, 4712, PAGE, "openat", 3_120, working_ms=19),
        _row(4712, 4712, PAGE, "read", 30_900, size=(61_000_000, 0), working_ms=59),
        _row(4712, 4712, HOSTILE_FILE, "openat", 31, errors=31, working_ms=1),
        _row(
            4713,
            4713,
            DATABASE,
            "recvfrom",
            1_150,
            size=(9_400_000, 0),
            waiting_ms=61_000,
            waits=990,
        ),
        _row(4713, 4713, DATABASE, "sendto", 1_150, size=(0, 310_000), working_ms=21),
        _row(4713, 4713, PIPE, "write", 27_000, size=(0, 4_100_000), working_ms=54),
        _row(
            4713, 4721, JOURNAL, "write", 1_400, size=(0, 91_000_000), working_ms=140, ready_ms=12
        ),
        _row(4713, 4721, JOURNAL, "fsync", 80, working_ms=70, waiting_ms=16_400, waits=80),
        _row(4713, 4722, LOCK, "futex", 1_200, errors=90, waiting_ms=9_100, waits=610),
        _row(4713, 4721, LOCK, "futex", 400, waiting_ms=2_100, ready_ms=31, waits=90),
        _row(4713, 4713, QUEUE, "futex", 200, waiting_ms=604_000, waits=200),
        _row(4713, 4722, QUEUE, "futex_wait", 210, waiting_ms=690_000, waits=210),
        _row(4713, 4721, TICK, "poll", 690, waiting_ms=690_000, waits=690),
        _row(4713, 4713, CHILD, "wait4", 12, errors=4, waiting_ms=24, waits=8),
        _row(42, 42, PIPE, "read", 100, size=(4_100_000, 0), waiting_ms=340, waits=100),
        _row(4712, 4712, _NO_OBJECT, "mmap", 410, working_ms=4),
    )
)


def _times(
    user_s: float, working_ms: int, ready_ms: int, **waiting_s: tuple[ObjectInfo, float]
) -> ThreadTimes:
    """Return the times of a thread; waits are named by their calls."""
    return ThreadTimes(
        user_ns=round(user_s * _NS),
        working_ns=working_ms * _MS,
        ready_ns=ready_ms * _MS,
        waiting={
            Wait(info.id, call): round(spent_s * _NS) for call, (info, spent_s) in waiting_s.items()
        },
    )


def _thread(process: tuple[int, str], calls: int, errors: int, times: ThreadTimes) -> ThreadTally:
    return ThreadTally(*process, times, calls, errors)


_THREADS = {
    42: _thread(
        *((42, "nginx"), 24_000, 12),
        _times(0.1, 3, 0, read=(PIPE, 0.3), rt_sigsuspend=(_NO_OBJECT, 723)),
    ),
    4712: _thread(
        *((4712, "nginx"), 90_000, 8_000),
        _times(118, 240, 900, epoll_wait=(CLIENT, 604)),
    ),
    4713: _thread(
        *((4713, "worker"), 29_300, 4),
        _times(40, 75, 300, recvfrom=(DATABASE, 77), futex=(QUEUE, 604)),
    ),
    4721: _thread(
        *((4713, "wal-writer"), 1_880, 0),
        _times(9, 210, 43, fsync=(JOURNAL, 16.4), futex=(LOCK, 2.1), poll=(TICK, 690)),
    ),
    4722: _thread(
        *((4713, "worker"), 1_200, 90),
        _times(22, 20, 20, futex=(LOCK, 9.1), futex_wait=(QUEUE, 690)),
    ),
}
_NOW = Now(
    _END_NS,
    {
        42: ThreadNow(
            42,
            "nginx",
            Doing.IN_CALL,
            "rt_sigsuspend",
            _END_NS - 61 * _NS,
            waits=True,
            args="[], 8",
        ),
        4712: ThreadNow(
            *(4712, "nginx", Doing.IN_CALL, "epoll_wait", _END_NS - 40 * _MS),
            waits=True,
            object=LOOP.id,
            args="8, 0x7ffd, 512, -1",
        ),
        4713: ThreadNow(
            *(4713, "worker", Doing.IN_CALL, "recvfrom", _END_NS - 16 * _NS),
            waits=True,
            object=DATABASE.id,
            args='12, "", 8192, 0, NULL, NULL',
        ),
        4721: ThreadNow(
            *(4713, "wal-writer", Doing.IN_CALL, "fsync", _END_NS - 210 * _MS),
            waits=True,
            object=JOURNAL.id,
            args="9",
        ),
        4722: ThreadNow(4713, "worker", Doing.RUNNING),
    },
)


def _slow(line: str, info: ObjectInfo) -> SlowCall:
    """Return a slow call from its second, duration, thread, name, result and arguments."""
    at_s, ms, tid, name, ret, args = line.split(maxsplit=5)
    thread, spent_ns = int(tid), int(ms) * _MS
    return SlowCall(
        *(spent_ns, (NOW_S + int(at_s)) * _NS, _THREADS[thread].pid, thread, name, args, ret, ""),
        waiting_ns=spent_ns,
        object=info.id,
    )


TIMES = Delta(
    activity=_ACTIVITY,
    objects={info.id: info for info in _OBJECTS},
    object_waits={
        DATABASE.id: Histogram.of([60 * _MS] * 900 + [2 * _NS] * 3 + [300 * _MS] * 87),
        JOURNAL.id: Histogram.of([205 * _MS] * 78 + [420 * _MS] * 2),
    },
    threads=_THREADS,
    timeline=Timeline(
        {
            NOW_S + _SECONDS - 30 + at: {
                4713: _times(0, 0, 0, recvfrom=(DATABASE, 1))
                if at > 13
                else _times(0.6, 100, 0, futex=(LOCK, 0.3)),
                4712: _times(0.2, 100, 0, epoll_wait=(CLIENT, 0.7)),
            }
            for at in range(30)
        },
        COARSE_MS,
    ),
    now=_NOW,
    slowest=Slowest.of(
        (
            _slow('300 9100 4713 recvfrom 412 12, "T\\0"..., 8192, 0, NULL, NULL', DATABASE),
            _slow('500 2000 4713 recvfrom 60 12, "C"..., 8192, 0, NULL, NULL', DATABASE),
            _slow("610 420 4721 fsync 0 9", JOURNAL),
            _slow("620 300 4722 futex 0 0x7f12, FUTEX_WAIT_PRIVATE, 2, NULL", LOCK),
            _slow("3 900 4712 epoll_wait 1 8, [{EPOLLIN}], 512, -1", CLIENT),
            _slow(f'611 18 4721 write 65536 9, "{HOSTILE}"..., 65536', JOURNAL),
        )
    ),
)
