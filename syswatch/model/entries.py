"""Single calls that are kept: the newest log entries and samples of failures."""

from typing import TypeVar

from syswatch.base.classes import frozen

LOG_ENTRIES = 500
FAILURE_SAMPLES = 50
# Longer arguments and results end with an ellipsis, as in a log of strace.
ARGUMENT_BYTES = 4096


@frozen
class LogEntry:
    """One call as strace would print it; `time_ns` is None if the source has no clock."""

    time_ns: int | None
    pid: int
    name: str
    args: str
    ret: str
    error: str
    duration_ns: int | None = None
    # Whether the call waited; None if that is not known.
    waited: bool | None = None
    object: int = 0


@frozen
class Failure:
    """One failed call; the map that holds it has its name."""

    time_ns: int | None
    pid: int
    errno: str
    args: str


Entry = TypeVar("Entry", LogEntry, Failure)


def newest_entries(left: tuple[LogEntry, ...], right: tuple[LogEntry, ...]) -> tuple[LogEntry, ...]:
    """Keep the newest log entries of two lists."""
    return _in_order(left, right)[-LOG_ENTRIES:]


def newest_failures(left: tuple[Failure, ...], right: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """Keep the newest samples of two lists."""
    return _in_order(left, right)[-FAILURE_SAMPLES:]


def _in_order(left: tuple[Entry, ...], right: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return tuple(sorted(left + right, key=_time))


def _time(entry: LogEntry | Failure) -> int:
    return entry.time_ns or 0
