"""The columns of lists."""

from collections.abc import Callable
from typing import Generic, TypeVar

import attrs

from syswatch.base.classes import frozen
from syswatch.views.budget.states import TimeState
from syswatch.views.column import Place

from .styled_text import Span, align_left, align_path, align_right

NOTHING = ("–", "dim")
Item = TypeVar("Item")
_FROM_WAITS = frozenset({"busy", "blocked", "waiting", "ready", "user", "waits"})
SortKey = float | str | tuple[float | str, ...]


@frozen
class Column(Generic[Item]):
    """
    One column of a list.

    `sort_key` is negative where the largest number comes first.  A column grows by at most
    `most_extra` cells where there is space.  `is_exact` says that the values are exact even if
    those of waits are estimates.  `state` is the state that the times of the column are in, if its
    texts depend on whether a filter leaves calls out.
    """

    name: str
    title: str
    meaning: str
    place: Place
    cell: Callable[[Item], Span]
    sort_key: Callable[[Item], SortKey]
    is_number: bool = True
    most_extra: int = 2
    has_paths: bool = False
    is_exact: bool = False
    state: TimeState | None = None

    def named(self, *, calls_left_out: bool) -> "Column[Item]":
        """Return the column with the title and the meaning that it has in a trace."""
        if self.state is None:
            return self
        texts = self.state.texts(calls_left_out=calls_left_out)
        meaning = f"Its time {texts.description[:1].lower()}{texts.description[1:]}"
        return attrs.evolve(self, title=texts.title.upper(), meaning=meaning)

    @property
    def depends_on_waits(self) -> bool:
        """Return whether its values are estimates where those of waits are."""
        return self.name in _FROM_WAITS and not self.is_exact

    @property
    def width(self) -> int:
        """The least width, in cells."""
        return int(self.place.width)

    @property
    def fit(self) -> Callable[[str, int], str]:
        """The function that fits a text into a width: numbers are aligned to the right."""
        if self.has_paths:
            return align_path
        return align_right if self.is_number else align_left


def usual(columns: tuple[Column[Item], ...]) -> frozenset[str]:
    """Return the names of the columns that are shown unless others are chosen."""
    return frozenset(column.name for column in columns if not column.place.extra)
