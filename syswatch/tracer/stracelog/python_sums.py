"""
Running sums of the calls of a log, in Python.

`compiled_sums` has the same classes and functions; see `row_loops.py`.
"""

from collections.abc import Sequence

from syswatch.model.histogram import bucket_of

from .chosen_rows import chosen
from .estimated_waits import LEAST_WAIT_NS, WORK_NS
from .line_format import DURATION, ERRNO, RESULT, Row
from .log_clock import nanoseconds
from .log_numbers import MOST_DIGITS, bytes_moved
from .python_intervals import Intervals

__all__ = ["Intervals", "RunningSums", "moved_by"]


class RunningSums:
    """Running sums of calls, and of their waits."""

    __slots__ = (
        "buckets",
        "bytes_in",
        "bytes_out",
        "count",
        "errors",
        "total_ns",
        "waiting_ns",
        "waits",
    )

    def __init__(self) -> None:
        """Start with nothing."""
        self.count = self.errors = self.bytes_in = self.bytes_out = 0
        self.total_ns = self.waiting_ns = self.waits = 0
        # The waits by their lengths.
        self.buckets: dict[int, int] = {}

    def add_rows(self, rows: Sequence[Row], only: int, may_wait: bool) -> None:  # noqa: FBT001
        """Add calls, selected by their result."""
        counted = chosen(rows, only)
        self.count += len(counted)
        for row in counted:
            if row[ERRNO]:
                self.errors += 1
            if not row[DURATION]:
                continue
            duration_ns = nanoseconds(row[DURATION])
            self.total_ns += duration_ns
            if may_wait and duration_ns > LEAST_WAIT_NS:
                waiting_ns = duration_ns - WORK_NS
                self.waiting_ns += waiting_ns
                self.waits += 1
                bucket = bucket_of(waiting_ns)
                self.buckets[bucket] = self.buckets.get(bucket, 0) + 1

    def add_bytes(self, bytes_in: int, bytes_out: int) -> None:
        """Add bytes in and out."""
        self.bytes_in += bytes_in
        self.bytes_out += bytes_out


def moved_by(rows: Sequence[Row]) -> int:
    """Return how many bytes calls have moved whose result tells; a damaged line may have any."""
    return sum(
        bytes_moved(int(row[RESULT]))
        for row in rows
        if not row[ERRNO] and row[RESULT].isdigit() and len(row[RESULT]) <= MOST_DIGITS
    )
