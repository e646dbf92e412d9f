"""
How long a call of a log waited, by a rule, since a log has only durations.

A call that can wait, as the catalog has it, or that writes data to a disk, waited if it took longer
than `LEAST_WAIT_NS`: for all of its duration but `WORK_NS`, which is what such a call takes under
strace if it does not wait.  All other calls are taken to work all the time.
"""

from functools import lru_cache

from syswatch.model.catalog import can_wait, plain_name

LEAST_WAIT_NS = 50_000
WORK_NS = 10_000
# Their purpose is to write, not to wait, but a disk makes them wait.
_FLUSHES = frozenset({"fdatasync", "fsync", "msync", "sync", "sync_file_range", "syncfs"})


@lru_cache(maxsize=2048)
def may_wait(name: str) -> bool:
    """Return whether a long call of this name is taken to have waited."""
    return can_wait(name) or plain_name(name) in _FLUSHES


def estimated_wait(name: str, duration_ns: int) -> int:
    """Return for how long a call waited; 0 if it did not wait."""
    if duration_ns <= LEAST_WAIT_NS or not may_wait(name):
        return 0
    return duration_ns - WORK_NS


def has_waited(name: str, duration_ns: int) -> bool:
    """Return whether a call is taken to have waited."""
    return estimated_wait(name, duration_ns) > 0
