"""What in the events is a reason to save: found in whole arrays, with no work for each call."""

import signal
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from syswatch.codec.event_frames import Life
from syswatch.codec.events import UNFINISHED_NS, Flag
from syswatch.model.catalog import plain_name
from syswatch.model.errnos import errno_name
from syswatch.model.process import describe_ending
from syswatch.recording.extra import load
from syswatch.recording.keeping import Trigger
from syswatch.views.formatting import duration

from .tables import dtype, keys_of_calls, name_of_call

# Calls that wait until something happens, which may well take long.
WAITING_CALLS: Final = frozenset(
    {
        *("accept", "accept4", "clock_nanosleep", "clock_nanosleep_time64"),
        *("epoll_pwait", "epoll_pwait2", "epoll_wait", "futex"),
        *("futex_time64", "futex_wait", "futex_waitv", "io_getevents"),
        *("io_pgetevents", "io_uring_enter", "nanosleep", "_newselect"),
        *("pause", "poll", "ppoll", "ppoll_time64"),
        *("pselect6", "pselect6_time64", "restart_syscall", "rt_sigsuspend"),
        *("rt_sigtimedwait", "select", "sigsuspend", "wait4"),
        *("waitid", "waitpid"),
    }
)
# A process that ends by another signal was told to.
CRASHES: Final = frozenset(
    {
        *(signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGKILL),
        *(signal.SIGQUIT, signal.SIGSEGV, signal.SIGSYS, signal.SIGTRAP),
        *(signal.SIGXCPU, signal.SIGXFSZ),
    }
)


class Found(NamedTuple):
    """A reason to save: which trigger, a short name for a file, and what happened."""

    trigger: str
    name: str
    reason: str


def in_events(data: bytes, triggers: Iterable[Trigger]) -> Iterator[Found]:
    """Yield the triggers that events meet, each with the first call that does."""
    events = load("numpy").frombuffer(data, dtype())
    for trigger in triggers:
        places = _meeting(events, trigger)
        if len(places):
            event = events[places[0]]
            yield _found(trigger, name_of_call(int(keys_of_calls(event))), event)


def in_lives(lives: Iterable[Life], target: int) -> Iterator[Found]:
    """Yield a reason for each process that crashed, and for the target if it failed."""
    for life in lives:
        if life.exit_signal and (life.pid == target or life.exit_signal in CRASHES):
            how = describe_ending(-life.exit_signal)
            trigger = of_target() if life.pid == target else "signal"
            yield Found(trigger, how.rpartition(" ")[2], f"{_process(life)} was {how}")
        elif life.exit_code and life.pid == target:
            how = describe_ending(life.exit_code)
            yield Found(of_target(), f"exit-{life.exit_code}", f"{_process(life)} {how}")


def in_ending(exit_code: int | None, exit_signal: int | None) -> Iterator[Found]:
    """Yield a reason if the traced command failed."""
    if exit_signal:
        how = describe_ending(-exit_signal)
        yield Found(of_target(), how.rpartition(" ")[2], f"the command was {how}")
    elif exit_code:
        how = describe_ending(exit_code)
        yield Found(of_target(), f"exit-{exit_code}", f"the command {how}")


def of_target() -> str:
    """Return the trigger of the end of the target, which may be reported twice."""
    return "end"


def _meeting(events: Any, trigger: Trigger) -> Any:
    numpy = load("numpy")
    if trigger.errno:
        candidates = events["result"] == -trigger.errno
        wanted, flags = Flag.FAILED, Flag.FAILED | Flag.MOVED
    else:
        lasted = events["duration_ns"]
        candidates = (lasted > trigger.slower_ns) & (lasted != UNFINISHED_NS)
        wanted, flags = Flag(0), Flag.MOVED | Flag.UNTIMED
    places = numpy.flatnonzero(candidates)
    places = places[(events["flags"][places] & flags) == wanted]
    # Very many calls may be slow, but they have few names.
    keys = keys_of_calls(events[places])
    meant = [key for key in numpy.unique(keys) if _is_meant(trigger, name_of_call(int(key)))]
    return places[numpy.isin(keys, meant)]


def _is_meant(trigger: Trigger, name: str) -> bool:
    plain = plain_name(name)
    if trigger.call:
        return plain == trigger.call
    return bool(trigger.errno) or plain not in WAITING_CALLS


def _found(trigger: Trigger, name: str, event: Any) -> Found:
    call = f"{name} of thread {int(event['tid'])}"
    if trigger.errno:
        error = errno_name(-trigger.errno)
        return Found(trigger.text, error, f"{call} failed with {error}")
    return Found(trigger.text, "slow", f"{call} took {duration(int(event['duration_ns']))}")


def _process(life: Life) -> str:
    return f"process {life.pid} ({life.command})" if life.command else f"process {life.pid}"
