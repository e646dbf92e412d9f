"""Sparklines: the calls of the newest seconds, one character for each."""

from collections.abc import Sequence

from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS

_BLOCKS = "▁▂▃▄▅▆▇█"


def recent_counts(snapshot: Snapshot, seconds: int) -> list[int]:
    """Return the number of calls in each of the newest complete seconds, the oldest first."""
    if snapshot.now_ns is None:
        return []
    # After the end, the last second is as complete as it will be.
    last = snapshot.now_ns // SECOND_NS + snapshot.done
    kept = snapshot.sums.window.seconds
    return [
        sum(totals.count for totals in kept.get(at, {}).values())
        for at in range(last - seconds, last)
    ]


def sparkline(values: Sequence[int]) -> str:
    """Return one character for each value; the largest is a full block."""
    most = max(values, default=0) or 1
    return "".join(_BLOCKS[min(value * len(_BLOCKS) // most, len(_BLOCKS) - 1)] for value in values)
