"""
Alerts: what stands out in a snapshot, and why that may be harmless or not.

Every view shows these and computes none of its own, so that they agree.  An alert is a
function of the snapshot alone; its order does not depend on numbers that change each second.
"""

from collections.abc import Callable, Iterator

from syswatch.model.snapshot import CallStat, Snapshot

from .advice import RESTARTED, is_harmless, of_errno, of_slowness
from .alert import Alert, Kind, Severity
from .changes import rate_changes
from .numbers import count, duration, share
from .paths import OPENERS

# Fewer calls than this are an anecdote: one failure of two is no rate.
ENOUGH_CALLS = 50
# Every second call fails: whatever the program wants, it mostly does not get it.
FAILING_SHARE = 0.5
# A call that fails this often for a reason that is no part of normal work deserves a look.
ODD_FAILING_SHARE = 0.05
# Ten failures a second, for a minute: a loop, not an accident.  A program that only just
# started searches for its files, and is no storm.
STORM_60S = 600
MINUTE_NS = 60 * 10**9
# A person notices a tenth of a second; no call that does not wait should take it.
SLOW_P99_NS = 100_000_000
# An average this long cannot be one outlier.
SLOW_AVERAGE_NS = 10_000_000
# With so many opens of one file, keeping it open would be worth it.
ENOUGH_OPENS = 100
DOMINANT_SHARE = 0.5

# What a program runs into in normal work: asking is how it finds out.
ROUTINE_ERRNOS = frozenset(
    {
        "EAGAIN",
        "ECHILD",
        "EEXIST",
        "EINPROGRESS",
        "EINTR",
        "ENODATA",
        "ENOENT",
        "ENOTTY",
        *RESTARTED,
        "ESRCH",
        "ETIMEDOUT",
    }
)
# Something of the machine is used up or broken: one is enough.
GRAVE_ERRNOS = frozenset(
    {"EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EROFS", "EUCLEAN"}
)
# Their time is waiting, and waiting is what they are for.
_WAITING_CALLS = """
    accept accept4 clock_nanosleep epoll_pwait epoll_pwait2 epoll_wait flock futex futex_wait
    futex_waitv io_getevents io_pgetevents io_uring_enter mq_timedreceive msgrcv nanosleep pause
    poll ppoll pselect6 read readv recvfrom recvmmsg recvmsg restart_syscall
    rt_sigsuspend rt_sigtimedwait select semop semtimedop sigsuspend vfork wait4 waitid waitpid
"""
WAITING_CALLS = frozenset(_WAITING_CALLS.split())


def alerts(snapshot: Snapshot) -> tuple[Alert, ...]:
    """Return everything that stands out, the gravest first, in a stable order."""
    found = [alert for look in _LOOKS for call in snapshot.calls for alert in look(call)]
    if snapshot.elapsed_ns >= MINUTE_NS:
        # Where most calls fail all the time, that many fail within a minute is no news.
        told = {alert.call for alert in found if alert.kind is Kind.FAILING}
        calls = [call for call in snapshot.calls if call.name not in told]
        found += [alert for call in calls for alert in _storm(call)]
    found += rate_changes(snapshot)
    found += _dominant_path(snapshot)
    return tuple(sorted(found, key=lambda each: (each.severity, each.kind, each.call, each.title)))


def _exhausted(call: CallStat) -> Iterator[Alert]:
    for errno, times in call.tally.errnos.items():
        if errno in GRAVE_ERRNOS:
            title = f"{call.name} met {errno} {_times(times)}"
            yield Alert(
                Severity.CRITICAL, Kind.EXHAUSTED, title, of_errno(call.name, errno), call.name
            )


def _failing(call: CallStat) -> Iterator[Alert]:
    if not call.tally.errors or call.tally.count < ENOUGH_CALLS:
        return
    errno = call.tally.top_errno
    if errno in GRAVE_ERRNOS:
        return
    routine = _is_routine(call.name, errno)
    if call.error_share >= (FAILING_SHARE if routine else ODD_FAILING_SHARE):
        title = f"{call.name}: {share(call.error_share)} fail, mostly {errno}"
        severity = Severity.NOTICE if routine else Severity.WARNING
        yield Alert(severity, Kind.FAILING, title, of_errno(call.name, errno), call.name)


def _storm(call: CallStat) -> Iterator[Alert]:
    if call.errors_60s >= STORM_60S:
        errno = call.tally.top_errno
        title = f"{call.name} failed {count(call.errors_60s)} times within a minute, mostly {errno}"
        severity = Severity.NOTICE if _is_routine(call.name, errno) else Severity.WARNING
        yield Alert(severity, Kind.STORM, title, of_errno(call.name, errno), call.name)


def _is_routine(name: str, errno: str) -> bool:
    """Return whether failing so is a part of normal work."""
    return errno in ROUTINE_ERRNOS or is_harmless(name, errno)


def _slow(call: CallStat) -> Iterator[Alert]:
    tally = call.tally
    if call.name in WAITING_CALLS or not tally.histogram.counts:
        return
    if tally.average_ns >= SLOW_AVERAGE_NS:
        title = f"{call.name} takes {duration(tally.average_ns)} on average"
        severity = Severity.WARNING
    elif call.p99_ns >= SLOW_P99_NS:
        title = f"{call.name} is slow at times: P99 is {duration(call.p99_ns)}"
        severity = Severity.NOTICE
    else:
        return
    yield Alert(severity, Kind.SLOW, title, of_slowness(call.name), call.name)


_LOOKS: tuple[Callable[[CallStat], Iterator[Alert]], ...] = (_exhausted, _failing, _slow)


def _dominant_path(snapshot: Snapshot) -> Iterator[Alert]:
    paths = snapshot.sums.paths
    opens = sum(paths.values())
    if opens < ENOUGH_OPENS:
        return
    most = max(paths.values())
    if most >= DOMINANT_SHARE * opens:
        path = min(name for name, times in paths.items() if times == most)
        yield Alert(
            Severity.NOTICE,
            Kind.PATH,
            f"{share(most / opens)} of all opens ask for one path",
            "Harmless for a device or a file under /proc; otherwise the program could keep it "
            "open, or remember what was in it.",
            next((call.name for call in snapshot.calls if call.name in OPENERS), ""),
            path,
        )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{count(number)} times"
