"""What happened in which second: rates, the 60-second error window, the history."""

from collections.abc import Callable, Container, Mapping
from typing import Self

import attrs

from .merging import merge
from .times import add_ns

ERROR_WINDOW_S = 60
HISTORY_S = 15 * 60


@attrs.frozen
class SecondTotals:
    """The calls of one kind within one second."""

    count: int = 0
    errors: int = 0
    total_ns: int = 0

    def __add__(self, other: "SecondTotals") -> "SecondTotals":
        """Sum two moments of the same second."""
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


@attrs.frozen
class Window:
    """The newest seconds of trace time, each with its calls by name; second 0 is 1970."""

    seconds: Mapping[int, Mapping[str, SecondTotals]] = attrs.field(factory=dict)

    def __add__(self, other: "Window") -> "Window":
        """Sum second by second, and keep the newest fifteen minutes."""
        return Window.newest(merge(self.seconds, other.seconds, _merge_second))

    @classmethod
    def newest(cls, seconds: Mapping[int, Mapping[str, SecondTotals]]) -> Self:
        """Keep the fifteen minutes that end with the newest second."""
        oldest = max(seconds, default=0) - HISTORY_S
        if all(at > oldest for at in seconds):
            return cls(seconds)
        return cls({at: calls for at, calls in seconds.items() if at > oldest})

    def only(self, names: Container[str]) -> "Window":
        """Drop what is not among some names."""
        return Window(
            {
                at: {name: moment for name, moment in calls.items() if name in names}
                for at, calls in self.seconds.items()
            }
        )

    def shifted(self, seconds: int) -> "Window":
        """Move everything in time: a part of a log learns its date only from the part before."""
        return self.redated(lambda at: at + seconds) if seconds else self

    def redated(self, date: Callable[[int], int]) -> "Window":
        """Move each second to where it belongs; what then is in the same second is added."""
        moved: dict[int, Mapping[str, SecondTotals]] = {}
        for before, calls in self.seconds.items():
            at = date(before)
            moved[at] = _merge_second(moved[at], calls) if at in moved else calls
        return Window(moved)

    def errors(self, now_s: int, length_s: int) -> Mapping[str, int]:
        """Sum, by name, the errors of the `length_s` seconds that end with `now_s`."""
        total: dict[str, int] = {}
        for at in range(now_s - length_s + 1, now_s + 1):
            for name, moment in self.seconds.get(at, {}).items():
                if moment.errors:
                    total[name] = total.get(name, 0) + moment.errors
        return total
