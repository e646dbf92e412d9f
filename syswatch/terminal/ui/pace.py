"""How often the screen is redrawn: less often where adding up the rows takes long."""

from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS

# Up to here every snapshot is drawn; adding up so many rows takes some 100 ms.
MANY_ROWS = 5_000
_ROWS_IN_A_SECOND = 15_000


def is_due(snapshot: Snapshot, shown: Snapshot) -> bool:
    """Return whether to draw a snapshot in place of the one that is shown."""
    rows = len(snapshot.sums.activity)
    if rows < MANY_ROWS or snapshot.done or snapshot.now_ns is None or shown.now_ns is None:
        return True
    return snapshot.now_ns - shown.now_ns >= (1 + rows // _ROWS_IN_A_SECOND) * SECOND_NS
