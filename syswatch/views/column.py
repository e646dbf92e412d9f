"""What a column of a table of system calls is."""

import enum
from collections.abc import Callable, Mapping, Sequence

from syswatch.base.classes import frozen
from syswatch.model.snapshot import CallStat

from .formatting import count, duration, per_second, share

Value = float | str | None


class Kind(enum.Enum):
    """What the values of a column are, which decides how they are written."""

    TEXT = enum.auto()
    COUNT = enum.auto()
    RATE = enum.auto()
    TIME = enum.auto()
    SHARE = enum.auto()
    # A share that is drawn.
    BAR = enum.auto()


@frozen
class Totals:
    """What shares are parts of: of all calls, of all time, of the commonest call."""

    calls: int
    total_ns: int
    most: int

    @classmethod
    def of(cls, calls: Sequence[CallStat]) -> "Totals":
        """Sum up the calls of a table."""
        counts = [call.tally.count for call in calls]
        return cls(sum(counts), sum(call.total_ns for call in calls), max(counts, default=0))


# With these, a share is as large as what it is a part of: enough to sort by.
_ONE = Totals(1, 1, 1)


@frozen
class Column:
    """
    One column.

    `value` is None where there is nothing to show; `field` is the key in JSON and the title in
    CSV; `short` is the title where space is limited.
    """

    key: str
    field: str
    title: str
    meaning: str
    kind: Kind
    value: Callable[[CallStat, Totals], Value]
    short: str = ""
    is_of_errors: bool = False

    @property
    def short_title(self) -> str:
        """The title where space is limited."""
        return self.short or self.title

    @property
    def is_number(self) -> bool:
        """Return whether the values are aligned to the right, and sorted with the largest first."""
        return self.kind is not Kind.TEXT

    def text(self, value: Value, *, exact: bool = False) -> str:
        """Write a value; counts with three digits and a unit, or exactly."""
        if value is None or isinstance(value, str):
            return value or ""
        if self.kind is Kind.COUNT and exact:
            return f"{value:,}"
        return _WRITERS[self.kind](value)

    def sort_key(self, call: CallStat) -> float | str:
        """Return what a table sorted by this column sorts by."""
        value = self.value(call, _ONE)
        if self.is_number:
            return -value if isinstance(value, (int, float)) else 0
        return value if isinstance(value, str) else "~"


_WRITERS: Mapping[Kind, Callable[[float], str]] = {
    Kind.COUNT: count,
    Kind.RATE: per_second,
    Kind.TIME: duration,
    Kind.SHARE: share,
    Kind.BAR: share,
}


@frozen
class Place:
    """
    How an interactive table shows a column: an extra one only if chosen.

    The width is in characters, or on the web page in em.
    """

    width: float
    rank: int = 0
    extra: bool = False
