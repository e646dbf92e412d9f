"""A web server under load: the example that the golden screens show."""

from collections.abc import Callable, Iterator

import attrs
from twisted.internet.defer import Deferred, succeed

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended
from syswatch.model.process import ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTimes
from syswatch.model.window import SecondTotals, Window
from syswatch.views.budget.period import Period

from .example_groups import GROUPS
from .example_times import TIMES
from .harness import BUSY, HOSTILE, NOW_S, snapshot_of

_NS = 10**9
_MS = 1_000_000
_SECONDS = 724
_CALLS_BY_SECOND = (3, 5, 8, 7, 7, 6, 4, 3, 3, 4, 6, 8, 9, 7, 5, 4, 4, 6, 7, 8)
# Name, calls, failed calls, errno, typical duration in nanoseconds.
_CALLS = """
epoll_wait      40_200     0 -              3_000_000
read            31_000    12 EAGAIN             1_900
write           28_400     0 -                  2_000
openat           9_310 5_680 ENOENT             6_000
close            8_900     0 -                    700
newfstatat       7_200   310 ENOENT             1_400
sendto           6_100    44 ECONNRESET        18_000
recvfrom         6_050 2_300 EAGAIN             2_200
accept4          1_830   611 EAGAIN             9_000
futex            1_200    90 ETIMEDOUT     12_000_000
mmap               410     0 -                 11_000
munmap             320     0 -                 14_000
brk                160     0 -                  1_100
clock_nanosleep    120     0 -            100_000_000
rt_sigaction        96     0 -                    400
fsync               80     0 -             21_000_000
connect             60    60 ECONNREFUSED     150_000
clone3              12     0 -                 95_000
wait4               12     4 ECHILD         2_000_000
kill                 4     1 EPERM                900
pipe2                3     0 -                  3_000
"""
# Percentage of calls, and how many times the typical duration they take.
_DURATIONS = ((12, 0.6), (55, 1), (22, 1.9), (8, 4), (2, 9), (1, 31))


def _rows() -> Iterator[tuple[str, int, int, str, int]]:
    for line in _CALLS.strip().splitlines():
        name, count, errors, errno, typical_ns = line.split()
        yield name, int(count), int(errors), errno.strip("-"), int(typical_ns)


def _tally(count: int, errors: int, errno: str, typical_ns: int) -> CallTally:
    """Return the sums of calls with varying durations."""
    took = [
        round(typical_ns * times)
        for part, times in _DURATIONS
        for _ in range(max(1, count * part // 100))
    ]
    took = took[:count] + [typical_ns] * (count - len(took))
    return CallTally(
        count=count,
        errors=errors,
        total_ns=sum(took),
        min_ns=min(took),
        max_ns=max(took),
        histogram=Histogram.of(took),
        errnos={errno: errors} if errors else {},
    )


_DELTA = Delta(
    calls={
        name: _tally(count, errors, errno, typical_ns)
        for name, count, errors, errno, typical_ns in _rows()
    },
    paths={
        "/srv/www/index.html": 3_120,
        "/etc/nginx/conf.d/missing.conf": 2_840,
        f"/srv/{HOSTILE}": 31,
        "/srv/www/漢字.html": 12,
        **{f"/srv/www/page{number:02}.html": 9 for number in range(60)},
    },
    failed_paths={"/etc/nginx/conf.d/missing.conf": 2_840},
    failures={
        "openat": tuple(
            Failure(
                (NOW_S + at) * _NS,
                4712,
                "ENOENT",
                f'AT_FDCWD, "/srv/www/page{at}.html.gz", O_RDONLY',
            )
            for at in range(5)
        )
    },
    log=tuple(
        LogEntry(
            *((NOW_S + at // 3) * _NS + at * _MS, 4712, name, args, ret, error),
            duration_ns=spent_ns,
            waited=spent_ns > _MS,
        )
        for at in range(0, 60, 3)
        for name, args, ret, error, spent_ns in (
            ("epoll_wait", "8, [{EPOLLIN}], 512, -1", "1", "", 3_100_000),
            ("openat", f'AT_FDCWD, "/srv/{HOSTILE}", O_RDONLY', "-1", "ENOENT", 6_020),
            ("write", '5, "HTTP/1.1 200 OK\\r\\n"..., 1024', "1024", "", 2_180),
        )
    ),
    processes={
        42: ProcessTally(comm="nginx", count=24_000, errors=12, total_ns=40 * _NS),
        4712: ProcessTally(parent=42, comm="nginx", count=90_000, errors=8_000, total_ns=90 * _NS),
        4713: ProcessTally(parent=42, comm="worker", count=28_000, total_ns=11 * _NS),
        4790: ProcessTally(parent=4713, comm="sh", count=400, errors=4, ending="exited with 3"),
        4791: ProcessTally(parent=4790, comm=HOSTILE, count=9, ending="killed by SIGSEGV"),
    },
    window=Window(
        {
            NOW_S + _SECONDS - len(_CALLS_BY_SECOND) + at: {
                name: SecondTotals(beat * count // 4_000, errors=beat * errors // 4_000)
                for name, count, errors, *_ in _rows()
            }
            for at, beat in enumerate(_CALLS_BY_SECOND)
        }
    ),
    span=Span(NOW_S * _NS, (NOW_S + _SECONDS) * _NS),
)
OUTPUT = (
    "nginx: configuration file /etc/nginx/nginx.conf test is successful",
    "127.0.0.1 - GET / 200",
    HOSTILE,
    "wide: 漢字かな",
)


def running() -> Snapshot:
    """Return a snapshot of the running server."""
    return snapshot_of(_DELTA, TIMES)


def grouped() -> Snapshot:
    """Return a snapshot of a machine with containers."""
    return snapshot_of(_DELTA, TIMES, GROUPS)


def without_times() -> Snapshot:
    """Return a snapshot from an old recording: neither objects nor threads were recorded."""
    return snapshot_of(_DELTA)


def ended() -> Snapshot:
    """Return a snapshot of the killed server, with lost events."""
    return snapshot_of(
        _DELTA, TIMES, Delta(ledger=Ledger(lost_events=7)), end=Ended(exit_signal=11)
    )


def part_of(whole: Snapshot) -> Callable[[Period], Deferred[Snapshot]]:
    """Return what answers for the ranges of a recording: always the same calls."""

    def part(period: Period) -> Deferred[Snapshot]:
        span = Span(period.from_ms * _MS, period.to_ms * _MS)
        times = _in_proportion((span.last_ns - span.first_ns) / whole.elapsed_ns)
        snapshot = snapshot_of(attrs.evolve(BUSY, span=span), times, end=whole.end)
        return succeed(attrs.evolve(snapshot, part_of=whole, is_exact_part=True))

    return part


def _in_proportion(share: float) -> Delta:
    """Return a part of the time of all threads."""
    threads = {}
    for tid, tally in TIMES.threads.items():
        spent = tally.times
        part = ThreadTimes(
            user_ns=int(spent.user_ns * share),
            working_ns=int(spent.working_ns * share),
            ready_ns=int(spent.ready_ns * share),
            waiting={wait: int(spent_ns * share) for wait, spent_ns in spent.waiting.items()},
        )
        threads[tid] = attrs.evolve(tally, times=part)
    return Delta(threads=threads, objects=TIMES.objects)
