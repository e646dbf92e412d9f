"""The calls of each second, for the history, the 60-second error window and alerts."""

from collections.abc import Callable, Container, Mapping
from typing import Self

import attrs

from syswatch.base.classes import frozen

from .merging import merge
from .times import add_ns

ERROR_WINDOW_S = 60
HISTORY_S = 15 * 60


@frozen
class SecondTotals:
    """The totals of one call within one second."""

    count: int = 0
    errors: int = 0
    total_ns: int = 0

    def __add__(self, other: "SecondTotals") -> "SecondTotals":
        """Add the totals of the same second."""
        return SecondTotals(
            self.count + other.count,
            self.errors + other.errors,
            add_ns(self.total_ns, other.total_ns),
        )


NO_CALLS = SecondTotals()


def _merge_second(
    left: Mapping[str, SecondTotals], right: Mapping[str, SecondTotals]
) -> Mapping[str, SecondTotals]:
    return merge(left, right, SecondTotals.__add__)


@frozen
class Window:
    """The newest seconds of trace time, each with its calls by name; second 0 is 1970."""

    seconds: Mapping[int, Mapping[str, SecondTotals]] = attrs.field(factory=dict)

    def __add__(self, other: "Window") -> "Window":
        """Add second by second, and keep the newest fifteen minutes."""
        return Window.newest(merge(self.seconds, other.seconds, _merge_second))

    @classmethod
    def newest(cls, seconds: Mapping[int, Mapping[str, SecondTotals]]) -> Self:
        """Return the fifteen minutes that end with the newest second."""
        oldest = max(seconds, default=0) - HISTORY_S
        if all(at > oldest for at in seconds):
            return cls(seconds)
        return cls({at: calls for at, calls in seconds.items() if at > oldest})

    def only(self, names: Container[str]) -> "Window":
        """Return the window with some names only."""
        return Window(
            {
                at: {name: totals for name, totals in calls.items() if name in names}
                for at, calls in self.seconds.items()
            }
        )

    def shifted(self, seconds: int) -> "Window":
        """Move all seconds: the date of a part of a log follows from the part before it."""
        return self.redated(lambda at: at + seconds) if seconds else self

    def redated(self, date: Callable[[int], int]) -> "Window":
        """Move each second by a function; what ends up in the same second is added."""
        moved: dict[int, Mapping[str, SecondTotals]] = {}
        for before, calls in self.seconds.items():
            at = date(before)
            moved[at] = _merge_second(moved[at], calls) if at in moved else calls
        return Window(moved)

    def errors(self, now_s: int, length_s: int) -> Mapping[str, int]:
        """Return the errors by name of the `length_s` seconds that end with `now_s`."""
        total: dict[str, int] = {}
        for at in range(now_s - length_s + 1, now_s + 1):
            for name, totals in self.seconds.get(at, {}).items():
                if totals.errors:
                    total[name] = total.get(name, 0) + totals.errors
        return total
