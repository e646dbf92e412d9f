"""Lists of rows that can be sorted and filtered, and the part of a trace that they cover."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, cast

import attrs

from syswatch.base.classes import define, frozen
from syswatch.model.activity import ActivityKey
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.filters import left_out

from .columns import Column, Item, usual
from .long_lists import ScrollPosition
from .styled_text import Line


@frozen
class Scope:
    """The part of a trace that a list covers; None stands for all."""

    pid: int | None = None
    tid: int | None = None
    object: int | None = None

    def covers(self, row: ActivityKey) -> bool:
        """Return whether it contains a row of the activity."""
        return (
            self.pid in (None, row.pid)
            and self.tid in (None, row.tid)
            and self.object in (None, row.object)
        )


ALL = Scope()


@frozen
class Listing(Generic[Item]):
    """
    One list: its columns, and how its rows are found in a snapshot.

    `details` returns lines about the row with a key; `opens` returns the part of the trace whose
    calls Enter shows, or None if it shows the details.
    """

    name: str
    columns: tuple[Column[Item], ...]
    sorted_by: str
    items: Callable[[Snapshot, Scope], Sequence[Item]]
    key: Callable[[Item], Hashable]
    text: Callable[[Item], str]
    matches: Callable[[Item, str], bool]
    if_empty: Callable[[Snapshot], str]
    details: Callable[[Snapshot, Scope, Any, int], Sequence[Line]]
    # The exact numbers of a row, separated by tabs, and what they are.
    copied: Callable[[Item], tuple[str, str]]
    opens: Callable[[Item, Scope], Scope | None] = lambda _item, _scope: None
    # The first line of the screen, instead of where the time went; empty for that.
    sentence: Callable[[Snapshot], str] = lambda _snapshot: ""
    # The list for a part of the trace, if it has other columns.
    scoped: "Listing[Any] | None" = None

    def columns_of(self, snapshot: Snapshot) -> Sequence[Column[Item]]:
        """Return the columns with the titles that they have in a trace."""
        calls_left_out = bool(left_out(snapshot))
        return [column.named(calls_left_out=calls_left_out) for column in self.columns]

    def arranged(self, items: Sequence[Item], state: "ListState") -> list[Item]:
        """Return the rows that match the filter, in order."""
        text = state.filter_text.casefold()
        matching = [item for item in items if not text or self.matches(item, text)]
        column = next(column for column in self.columns if column.name == state.sorted_by)
        sort_key = cast("Callable[[Item], Any]", column.sort_key)
        # Sorting is stable: equal values stay sorted by their text, also in reverse.
        matching.sort(key=self.text)
        return sorted(matching, key=sort_key, reverse=state.is_reversed)


@define
class ListState:
    """What the user has chosen for a list."""

    sorted_by: str
    columns: frozenset[str]
    is_reversed: bool = False
    filter_text: str = ""
    # None until the cursor is moved.
    selected: Hashable = None
    cursor: int = 0
    scroll: ScrollPosition = attrs.field(factory=ScrollPosition)

    @classmethod
    def of(cls, listing: Listing[Any]) -> "ListState":
        """Return the initial state of a list."""
        return cls(listing.sorted_by, usual(listing.columns))
