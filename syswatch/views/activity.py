"""The beat of a trace: how many calls each of the newest seconds had, in a handful of cells."""

from collections.abc import Sequence

from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS

_BLOCKS = "▁▂▃▄▅▆▇█"


def pulse(snapshot: Snapshot, seconds: int) -> list[int]:
    """Return the calls of the newest complete seconds, the oldest first."""
    if snapshot.now_ns is None:
        return []
    # After the end no second will get any fuller.
    last = snapshot.now_ns // SECOND_NS + snapshot.done
    kept = snapshot.sums.window.seconds
    return [
        sum(moment.count for moment in kept.get(at, {}).values())
        for at in range(last - seconds, last)
    ]


def sparkline(values: Sequence[int]) -> str:
    """Draw one cell for each value, the largest of them as a full block."""
    most = max(values, default=0) or 1
    return "".join(_BLOCKS[min(value * len(_BLOCKS) // most, len(_BLOCKS) - 1)] for value in values)
