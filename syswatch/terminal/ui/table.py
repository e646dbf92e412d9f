"""The table that shows a list; the cursor follows its row when the order changes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from textual import events
from textual.message import Message

from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.budget import budget

from .columns import NOTHING, Column
from .layout import Layout
from .listing import Listing, ListState, Scope
from .styled_text import Row
from .widgets import RowWidget

_WHEEL_ROWS = 3


class ListTable(RowWidget):
    """A line of titles, then as many rows as fit; calls `on_change` when other rows are shown."""

    DEFAULT_CSS = "ListTable { height: 1fr; width: 1fr; }"

    class Activated(Message):
        """The selected row was double-clicked."""

    def __init__(self, listing: Listing[Any], on_change: Callable[[], None]) -> None:
        super().__init__()
        self._on_change = on_change
        self.listing = listing
        self.state = ListState.of(listing)
        self.rows: list[Any] = []
        self._items: Sequence[Any] = ()
        self._if_empty = ""
        self._is_estimated = False
        # All columns of the list, and those that may be shown.
        self.columns: Sequence[Column[Any]] = listing.columns
        self._columns: Sequence[Column[Any]] = self.columns

    @property
    def selected(self) -> Any:
        """The row under the cursor, or None if there is none."""
        return self.rows[self.state.cursor] if self.rows else None

    def show(
        self, listing: Listing[Any], state: ListState, snapshot: Snapshot, scope: Scope
    ) -> None:
        """Show another list, or the same of another snapshot."""
        self.listing, self.state = listing, state
        self._items = listing.items(snapshot, scope)
        self._if_empty = listing.if_empty(snapshot)
        spent = budget(snapshot)
        self._is_estimated = spent.is_estimated and bool(spent.wall_ns)
        self.columns = listing.columns_of(snapshot)
        self._columns = self._with_values() if snapshot.done else self.columns
        self._update()

    def sort(self, column: str) -> None:
        """Sort by a column, if the list has it; reverse the order if sorted by it already."""
        state = self.state
        if all(each.name != column for each in self.listing.columns):
            return
        state.is_reversed = not state.is_reversed if column == state.sorted_by else False
        state.sorted_by = column
        self._update()

    def sort_by_neighbour(self, step: int) -> None:
        """Sort by the visible column to the left or right of the one sorted by."""
        names = [column.name for column, _ in self._layout.columns if column.title]
        here = names.index(self.state.sorted_by) if self.state.sorted_by in names else -1
        self.state.sorted_by = names[max(0, min(here + step, len(names) - 1))]
        self.state.is_reversed = False
        self._update()

    def reverse_order(self) -> None:
        """Reverse the sort order."""
        self.state.is_reversed = not self.state.is_reversed
        self._update()

    def set_filter(self, text: str) -> None:
        """Show only the rows that match a text."""
        self.state.filter_text = text
        self._update()

    def choose_columns(self, columns: frozenset[str]) -> None:
        """Show other columns."""
        self.state.columns = columns
        self._update()

    def move(self, name: str) -> None:
        """Move the cursor as a key does."""
        self._select(self.state.cursor + self.state.scroll.step(name))

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the cursor visible."""
        self._update()

    def on_click(self, event: events.Click) -> None:
        """Sort by the title clicked, or select the row clicked; open it on a double click."""
        top = self.state.scroll.top
        if event.y == 0:
            self.sort(self._layout.column_at(event.x) or self.state.sorted_by)
        elif top + event.y - 1 < len(self.rows):
            self._select(top + event.y - 1)
            if event.chain > 1:
                self.post_message(self.Activated())

    def on_mouse_scroll_down(self, _event: events.MouseScrollDown) -> None:
        """Move the cursor down."""
        self._select(self.state.cursor + _WHEEL_ROWS)

    def on_mouse_scroll_up(self, _event: events.MouseScrollUp) -> None:
        """Move the cursor up."""
        self._select(self.state.cursor - _WHEEL_ROWS)

    @property
    def _layout(self) -> Layout[Any]:
        state = self.state
        return Layout.fitted(self._columns, self.size.width, state.sorted_by, state.columns)

    def _with_values(self) -> Sequence[Column[Any]]:
        """Return the columns without those that no row has a value for, unless they were chosen."""
        return [
            column
            for column in self.columns
            if column.place.extra
            or column.place.rank == 0
            or column.name == self.state.sorted_by
            or any(column.cell(item) != NOTHING for item in self._items)
        ]

    def _select(self, index: int) -> None:
        if self.rows:
            state = self.state
            state.cursor = min(max(index, 0), len(self.rows) - 1)
            state.selected = self.listing.key(self.rows[state.cursor])
            state.scroll.reveal(state.cursor)
            self._draw()

    def _update(self) -> None:
        state, key = self.state, self.listing.key
        self.rows = self.listing.arranged(self._items, state)
        state.scroll.fit(len(self.rows), self.size.height - 1)
        places = (index for index, row in enumerate(self.rows) if key(row) == state.selected)
        state.cursor = next(places, 0)
        # Until the user moves the cursor it stays at the top, whichever row is there.
        if state.selected is not None:
            state.scroll.reveal(state.cursor)
        self._draw()

    def _draw(self) -> None:
        self.draw(list(self._visible_rows()))
        self._on_change()

    def _visible_rows(self) -> Iterator[Row]:
        layout, state = self._layout, self.state
        titles = layout.titles(
            state.sorted_by, reverse=state.is_reversed, is_estimated=self._is_estimated
        )
        yield Row(titles, "heading")
        if not self.rows:
            yield Row([(self._empty_text(), "dim")])
        top = state.scroll.top
        for index, item in enumerate(self.rows[top : top + state.scroll.height], top):
            yield Row(layout.row(item), selected=index == state.cursor)

    def _empty_text(self) -> str:
        if self._items:
            return "No row matches the filter (Esc clears it)"
        return self._if_empty
