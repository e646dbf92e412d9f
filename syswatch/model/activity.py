"""
Activity: what each thread did with each object by each call.

This is the finest grain that is stored.  Objects, processes and threads as views show them are
derived by adding rows, so that all tables agree.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import add, attrgetter, itemgetter
from typing import NamedTuple

from .objects import ObjectInfo, ObjectKind, kind_of_other, other_object
from .table import Table
from .times import LONGEST_NS

# Several calls of several threads on each of 10 000 objects.
TRACKED_ROWS = 60_000
TRACKED_OBJECTS = 10_000
# A thread ID or PID of 0 in a key stands for all that have no row of their own.
ANY = 0


class ActivityKey(NamedTuple):
    """The row of one call of one thread on one object."""

    pid: int
    tid: int
    object: int
    call: str


class Sums(NamedTuple):
    """
    The exact sums over some calls.

    The three times add up to the duration of those calls that were timed.  Bytes are those that
    the kernel counts as read and written for a process (`rchar` and `wchar`), or received and sent.

    There may be 60 000 of them in a delta.  A tuple takes half the time to make, and less than a
    third of the bytes when it is sent.
    """

    count: int = 0  # type: ignore[assignment]  # instead of the method of tuples
    errors: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    working_ns: int = 0
    waiting_ns: int = 0
    ready_ns: int = 0
    waits: int = 0

    def __add__(self, other: "Sums") -> "Sums":  # type: ignore[override]  # not of any tuple
        """Add two rows."""
        return limited(map(add, self, other))

    @property
    def total_ns(self) -> int:
        """The duration of all calls."""
        return self.working_ns + self.waiting_ns + self.ready_ns


NO_SUMS = Sums()


def limited(numbers: Iterable[int]) -> Sums:
    """Return sums whose times end at the limit."""
    sums = Sums._make(numbers)
    if max(sums) <= LONGEST_NS:
        return sums
    return Sums._make(min(number, LONGEST_NS) for number in sums)


def sum_of(rows: Sequence[Sums]) -> Sums:
    """Return the sum of several rows, in less than half the time that adding two by two takes."""
    return rows[0] if len(rows) == 1 else limited(map(sum, zip(*rows, strict=True)))


Activity = Mapping[ActivityKey, Sums]
Objects = Mapping[int, ObjectInfo]


def _coarser(key: ActivityKey) -> ActivityKey:
    """Return the row for all threads of the process, or else for all processes."""
    pid, tid, number, call = key
    return ActivityKey(ANY if tid == ANY else pid, ANY, number, call)


ACTIVITY: Table[ActivityKey, Sums] = Table(
    TRACKED_ROWS, Sums.__add__, _coarser, attrgetter("total_ns"), shared=itemgetter(2, 3)
)


def by_object(activity: Activity) -> dict[int, Sums]:
    """Return the sums of each object."""
    sums: dict[int, Sums] = {}
    for key, row in activity.items():
        sums[key.object] = sums.get(key.object, NO_SUMS) + row
    return sums


def objects_beyond_limit(activity: Activity, objects: Objects) -> Mapping[int, int]:
    """Return which objects exceed the limit, the cheapest ones, and what stands for each."""
    if len(objects) <= TRACKED_OBJECTS:
        return {}
    sums = by_object(activity)
    ranked = sorted(objects, key=lambda each: sums.get(each, NO_SUMS).total_ns)
    cut = ranked[: len(objects) - int(TRACKED_OBJECTS * 0.75)]
    return {each: other_object(objects[each].kind) for each in cut if kind_of_other(each) is None}


def rename_objects(activity: Activity, names: Mapping[int, int]) -> Activity:
    """Return the rows with some objects replaced by others."""
    renamed: dict[ActivityKey, Sums] = {}
    for key, row in activity.items():
        pid, tid, number, call = key
        new = ActivityKey(pid, tid, names.get(number, number), call)
        renamed[new] = renamed[new] + row if new in renamed else row
    return renamed


def kind_of(number: int, objects: Objects) -> ObjectKind:
    """Return the kind of an object."""
    known = objects.get(number)
    if known is not None:
        return known.kind
    return kind_of_other(number) or ObjectKind.NONE
