"""Running sums of one call of one thread on one object."""

from typing import TYPE_CHECKING

from syswatch.model.activity import Sums
from syswatch.tracer.objects.ways import Moved
from syswatch.tracer.sums import CallSums

if TYPE_CHECKING:
    from .threads import Thread

_NO_IDENTITIES = (b"", b"")


class Row:
    """
    The running values of a row of the activity.

    It has the attributes of `CallSums` that the loop uses; the sums of all threads and objects of
    the process are `total`, to which failed calls are added at once and others at the flush.
    """

    __slots__ = (
        "added",
        "direction",
        "durations",
        "errors",
        "identities",
        "moved",
        "name",
        "object",
        "other_ns",
        "ready_ns",
        "total",
        "waiting_ns",
        "waits",
    )
    # Whether `moved` must be increased while the thread is stopped after each call.
    reads_at_once = False

    def __init__(
        self, total: CallSums, name: str, number: int, direction: Moved = Moved.NOTHING
    ) -> None:
        self.total = total
        self.name = name
        # The ID of the object.
        self.object = number
        self.direction = direction
        # What is the same in the events of its calls that succeed, and fail, if they are recorded.
        self.identities = _NO_IDENTITIES
        # Of calls that succeeded.
        self.durations: list[int] = []
        # The sum of their results, if these are numbers of bytes.
        self.moved = 0
        # The calls that failed, or whose duration is not known.
        self.added = 0
        self.errors = 0
        self.other_ns = 0
        self.waits = 0
        self.waiting_ns = 0
        self.ready_ns = 0

    def add(self, errno: str, duration_ns: int | None) -> None:
        """Count a call that failed or whose duration is not known."""
        self.total.add(errno, duration_ns)
        self.added += 1
        self.errors += bool(errno)
        self.other_ns += duration_ns or 0

    def add_wait(self, waiting_ns: int, ready_ns: int) -> None:
        """Count how long a call waited, 0 if it did not, and was ready without a CPU."""
        self.total.add_wait(waiting_ns, ready_ns)
        self.waits += waiting_ns > 0
        self.waiting_ns += waiting_ns
        self.ready_ns += ready_ns

    def close(self) -> Sums:
        """Return the sums, and count the durations in the total."""
        durations = self.durations
        self.total.durations.extend(durations)
        spent_ns = sum(durations) + self.other_ns
        # What a call between two descriptors has written is in the row of the second one.  Most
        # rows have no bytes, and looking at flags takes long.
        is_input = bool(self.moved) and Moved.IN in self.direction
        is_output = bool(self.moved) and not is_input and Moved.OUT in self.direction
        return Sums(
            count=len(durations) + self.added,
            errors=self.errors,
            bytes_in=self.moved if is_input else 0,
            bytes_out=self.moved if is_output else 0,
            working_ns=spent_ns - self.waiting_ns - self.ready_ns,
            waiting_ns=self.waiting_ns,
            ready_ns=self.ready_ns,
            waits=self.waits,
        )


def close_rows(thread: "Thread") -> None:
    """Count the calls of rows that the activity has not closed, and forget the sums."""
    rows, thread.rows = thread.rows, {}
    for row in rows.values():
        if isinstance(row, Row):
            row.close()
