"""Times: timespec, timeval, timers and timestamps of files."""

import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import model_of
from syswatch.model.errnos import NAMES

from .numbers import signed_64
from .traced_call import (
    PointerPrinter,
    Printers,
    TracedCall,
    address_text,
    follow,
    follow_on_success,
    time_bytes,
)

_PAIRS = {8: struct.Struct("<qq"), 4: struct.Struct("<ii")}
_UTIME_NAMES = {0x3FFFFFFF: "UTIME_NOW", 0x3FFFFFFE: "UTIME_OMIT"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NANO = 9
_MICRO = 6
_SLEEPS = frozenset({"nanosleep", "clock_nanosleep"})
_INTERRUPTED = frozenset(
    -number for number, name in NAMES.items() if name in {"EINTR", "ERESTART_RESTARTBLOCK"}
)

Fields = Callable[[int, int], str]


def timespec(seconds: int, nanoseconds: int) -> str:
    """Return a time in nanoseconds."""
    return f"{{tv_sec={seconds}, tv_nsec={nanoseconds}}}"


def timeval(seconds: int, microseconds: int) -> str:
    """Return a time in microseconds."""
    return f"{{tv_sec={seconds}, tv_usec={microseconds}}}"


def read_pair(call: TracedCall, address: int) -> tuple[int, int]:
    """Return the two numbers of a time."""
    first, second = call.unpack(_PAIRS[time_bytes(call.name, call.settings)], address)
    return first, second


def date(seconds: int, fraction: int = 0, digits: int = 0) -> str:
    """Return a comment with date and time; nothing for zero and for times out of range."""
    if (not seconds and not fraction) or not 0 <= fraction < 10 ** max(digits, 1):
        return ""
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return ""
    point = f".{fraction:0{digits}}" if fraction else ""
    return f" /* {moment:%Y-%m-%dT%H:%M:%S}{point}+0000 */"


def one(fields: Fields) -> PointerPrinter:
    """Print one time."""
    return lambda call, _index, address: fields(*read_pair(call, address))


def interval(fields: Fields) -> PointerPrinter:
    """Print the two times of a timer."""

    def show(call: TracedCall, _index: int, address: int) -> str:
        again = fields(*read_pair(call, address))
        first = fields(*read_pair(call, address + 2 * time_bytes(call.name, call.settings)))
        return f"{{it_interval={again}, it_value={first}}}"

    return show


def _stamps(stamp: Fields) -> PointerPrinter:
    def show(call: TracedCall, _index: int, address: int) -> str:
        pairs = (
            read_pair(call, address),
            read_pair(call, address + 2 * time_bytes(call.name, call.settings)),
        )
        return f"[{', '.join(stamp(*pair) for pair in pairs)}]"

    return show


def _nano_stamp(seconds: int, fraction: int) -> str:
    if fraction in _UTIME_NAMES:
        return _UTIME_NAMES[fraction]
    return timespec(seconds, fraction) + date(seconds, fraction, _NANO)


def _micro_stamp(seconds: int, fraction: int) -> str:
    return timeval(seconds, fraction) + date(seconds, fraction, _MICRO)


def _seconds(call: TracedCall, _index: int, address: int) -> str:
    seconds = call.integer(address, call.settings.word_size)
    return f"[{seconds}{date(seconds)}]"


def _remaining(call: TracedCall, index: int) -> str:
    """Print the time left, which is set only if a signal interrupts the sleep."""
    address = call.argument(index)
    if model_of(call.name) not in _SLEEPS:
        return _TIMESPEC_OUT(call, index)
    if not call.failed or signed_64(call.ret) not in _INTERRUPTED:
        return address_text(address)
    return _TIMESPEC_IN(call, index)


_TIMESPEC_IN = follow(one(timespec))
_TIMESPEC_OUT = follow_on_success(one(timespec))


PRINTERS = Printers(
    at_entry={
        Kind.TIMESPEC_IN: _TIMESPEC_IN,
        Kind.TIMEVAL_IN: follow(one(timeval)),
        Kind.TIMESPEC_PAIR_IN: follow(_stamps(_nano_stamp)),
        Kind.TIMEVAL_PAIR_IN: follow(_stamps(_micro_stamp)),
        Kind.ITIMERVAL_IN: follow(interval(timeval)),
        Kind.ITIMERSPEC_IN: follow(interval(timespec)),
    },
    at_exit={
        Kind.TIME_OUT: follow_on_success(_seconds),
        Kind.TIMESPEC_OUT: _remaining,
        Kind.TIMEVAL_OUT: follow_on_success(one(timeval)),
        Kind.ITIMERVAL_OUT: follow_on_success(interval(timeval)),
        Kind.ITIMERSPEC_OUT: follow_on_success(interval(timespec)),
    },
)
