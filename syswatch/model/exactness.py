"""Whether a sum of deltas has everything that they have."""

from collections.abc import Mapping, Sized
from typing import Any, Final

from .activity import ACTIVITY, TRACKED_OBJECTS
from .delta import TRACKED_CALLS, TRACKED_PATHS, TRACKED_PROCESSES, Delta
from .evidence import TRACKED_EVIDENCE
from .threads import TRACKED_THREADS

_LIMITS: Final[Mapping[str, int]] = {
    "calls": TRACKED_CALLS,
    "by_process": TRACKED_PROCESSES,
    "processes": TRACKED_PROCESSES,
    "paths": TRACKED_PATHS,
    "activity": ACTIVITY.limit,
    "objects": TRACKED_OBJECTS,
    "threads": TRACKED_THREADS,
    "evidence": TRACKED_EVIDENCE,
}


def add_without_cutting(left: Delta, right: Delta) -> bool:
    """
    Return whether the sum exceeds no limit, so that it matters not when it is made.

    What a limit cuts depends on what has been added before.
    """
    return all(
        _fits(getattr(left, name), getattr(right, name), limit) for name, limit in _LIMITS.items()
    )


def _fits(left: Sized, right: Any, limit: int) -> bool:
    return len(left) + len(right) <= limit or len(right.keys() | left) <= limit
