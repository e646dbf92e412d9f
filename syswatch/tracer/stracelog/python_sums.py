"""
Running sums of the calls of a log, in Python.

`compiled_sums` has the same classes and functions; see `row_loops.py`.
"""

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING

from syswatch.codec.log_calls import packed_objects
from syswatch.model.histogram import bucket_of
from syswatch.model.objects import NO_OBJECT
from syswatch.tracer.objects.ways import bytes_moved

from .call_traits import MAY_WAIT, MOVES_IN, MOVES_OUT
from .chosen_rows import chosen
from .estimated_waits import LEAST_WAIT_NS, WORK_NS
from .line_format import DURATION, ERRNO, RESULT, Row
from .log_clock import nanoseconds
from .log_numbers import MOST_DIGITS
from .python_intervals import Intervals

if TYPE_CHECKING:
    from .log_groups import GroupKey

__all__ = ["FoundObjects", "Intervals", "RunningSums", "count_groups"]


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

    def add_rows(self, rows: Sequence[Row], only: int, traits: int) -> None:
        """Add calls, selected by their result."""
        counted = chosen(rows, only)
        self.count += len(counted)
        if traits & MOVES_IN:
            self.bytes_in += _moved_by(counted)
        elif traits & MOVES_OUT:
            self.bytes_out += _moved_by(counted)
        for row in counted:
            if row[ERRNO]:
                self.errors += 1
            if not row[DURATION]:
                continue
            duration_ns = nanoseconds(row[DURATION])
            self.total_ns += duration_ns
            if traits & MAY_WAIT and duration_ns > LEAST_WAIT_NS:
                waiting_ns = duration_ns - WORK_NS
                self.waiting_ns += waiting_ns
                self.waits += 1
                bucket = bucket_of(waiting_ns)
                self.buckets[bucket] = self.buckets.get(bucket, 0) + 1

    def add_bytes(self, bytes_in: int, bytes_out: int) -> None:
        """Add bytes in and out."""
        self.bytes_in += bytes_in
        self.bytes_out += bytes_out

    def numbers(self) -> tuple[int, ...]:
        """Return the values of a row of activity, in the order of `Sums`."""
        return (
            self.count,
            self.errors,
            self.bytes_in,
            self.bytes_out,
            self.total_ns - self.waiting_ns,
            self.waiting_ns,
            0,
            self.waits,
        )


class FoundObjects:
    """The objects of rows, by their identity: equal rows are different calls."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        """Start without rows."""
        self._found: dict[int, int] = {}

    def note(self, rows: Sequence[Row], found: int) -> None:
        """Note the object of some rows."""
        self._found.update(zip(map(id, rows), repeat(found)))

    def of(self, rows: Sequence[Row]) -> bytes:
        """Return the object of each row, packed."""
        return packed_objects(map(self._found.get, map(id, rows), repeat(NO_OBJECT)))

    def clear(self) -> None:
        """Forget all rows; they must exist as long as they are looked up."""
        self._found.clear()

    def __reduce__(self) -> tuple[type["FoundObjects"], tuple[()]]:
        """Return what makes one without rows: those of another process are different objects."""
        return FoundObjects, ()


def count_groups(  # noqa: PLR0913  as in C
    groups: Mapping["GroupKey", list[Row]],
    sums: Mapping["GroupKey", RunningSums],
    found: FoundObjects,
    intervals: Intervals,
    traits: Mapping[str, int],
    only: int,
    origin_s: int,
) -> None:
    """
    Count groups of calls, selected by their result, and empty them.

    Brief calls have been added to the intervals in the order of the log, except joined ones.
    """
    for key, rows in groups.items():
        if not rows:
            continue
        pid, number, name = key
        found.note(rows, number)
        sums[key].add_rows(rows, only, traits[name])
        wait = (number, name) if traits[name] & MAY_WAIT else None
        intervals.add_long(pid, wait, rows, only, origin_s)
        rows.clear()


def _moved_by(rows: Sequence[Row]) -> int:
    """Return how many bytes calls have moved whose result tells; a damaged line may have any."""
    return sum(
        bytes_moved(int(row[RESULT]))
        for row in rows
        if not row[ERRNO] and row[RESULT].isdigit() and len(row[RESULT]) <= MOST_DIGITS
    )
