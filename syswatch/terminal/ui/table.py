"""The table of system calls; the cursor follows its call when the order changes."""

from collections.abc import Iterator

from textual import events
from textual.message import Message

from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.views.column import Totals

from .columns import USUAL
from .layout import Layout, filter_and_sort
from .long_lists import ScrollPosition
from .styled_text import Row
from .widgets import RowWidget

_WHEEL_ROWS = 3


class CallTable(RowWidget):
    """A line of titles, then as many calls as fit."""

    DEFAULT_CSS = "CallTable { height: 1fr; }"

    class Activated(Message):
        """The selected call was double-clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.sorted_by = "calls"
        self.is_reversed = False
        self.filter_text = ""
        self.columns = USUAL
        self.rows: list[CallStat] = []
        self._calls: tuple[CallStat, ...] = ()
        self._if_no_calls = ""
        self._totals = Totals.of(())
        self._selected_name = ""
        self._cursor = 0
        self._scroll = ScrollPosition()

    @property
    def selected(self) -> CallStat | None:
        """The call under the cursor."""
        return self.rows[self._cursor] if self.rows else None

    def show(self, snapshot: Snapshot) -> None:
        """Show another snapshot."""
        self._calls = snapshot.calls
        self._if_no_calls = _if_no_calls(snapshot)
        self._totals = Totals.of(snapshot.calls)
        self._update()

    def sort(self, column: str) -> None:
        """Sort by a column; reverse the order if sorted by it already."""
        self.is_reversed = not self.is_reversed if column == self.sorted_by else False
        self.sorted_by = column
        self._update()

    def reverse_order(self) -> None:
        """Reverse the sort order."""
        self.is_reversed = not self.is_reversed
        self._update()

    def set_filter(self, text: str) -> None:
        """Show only calls whose name contains a text, or whose category starts with it."""
        self.filter_text = text
        self._update()

    def choose_columns(self, columns: frozenset[str]) -> None:
        """Show other columns."""
        self.columns = columns
        self._update()

    def move(self, name: str) -> None:
        """Move the cursor as a key does."""
        self._select(self._cursor + self._scroll.step(name))

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the cursor visible."""
        self._update()

    def on_click(self, event: events.Click) -> None:
        """Sort by the title clicked, or select the row clicked; open it on a double click."""
        if event.y == 0:
            self.sort(self._layout.column_at(event.x) or self.sorted_by)
        elif self._scroll.top + event.y - 1 < len(self.rows):
            self._select(self._scroll.top + event.y - 1)
            if event.chain > 1:
                self.post_message(self.Activated())

    def on_mouse_scroll_down(self, _event: events.MouseScrollDown) -> None:
        """Move the cursor down."""
        self._select(self._cursor + _WHEEL_ROWS)

    def on_mouse_scroll_up(self, _event: events.MouseScrollUp) -> None:
        """Move the cursor up."""
        self._select(self._cursor - _WHEEL_ROWS)

    @property
    def _layout(self) -> Layout:
        return Layout.fitted(self.size.width, self.sorted_by, self.columns)

    def _select(self, index: int) -> None:
        if self.rows:
            self._cursor = min(max(index, 0), len(self.rows) - 1)
            self._selected_name = self.rows[self._cursor].name
            self._scroll.reveal(self._cursor)
            self.draw(list(self._visible_rows()))

    def _update(self) -> None:
        self.rows = filter_and_sort(
            self._calls, self.sorted_by, self.filter_text, reverse=self.is_reversed
        )
        self._scroll.fit(len(self.rows), self.size.height - 1)
        names = (index for index, call in enumerate(self.rows) if call.name == self._selected_name)
        self._cursor = next(names, 0)
        # Until the user moves the cursor it stays at the top, whichever call is there.
        if self._selected_name:
            self._scroll.reveal(self._cursor)
        self.draw(list(self._visible_rows()))

    def _visible_rows(self) -> Iterator[Row]:
        layout = self._layout
        yield Row(layout.titles(self.sorted_by, reverse=self.is_reversed), "heading")
        if not self.rows:
            yield Row([(self._empty_text(), "dim")])
        top = self._scroll.top
        for index, call in enumerate(self.rows[top : top + self._scroll.height], top):
            yield Row(layout.row(call, self._totals), selected=index == self._cursor)

    def _empty_text(self) -> str:
        if self._calls:
            return "No system call matches the filter (Esc clears it)"
        return self._if_no_calls


def _if_no_calls(snapshot: Snapshot) -> str:
    if snapshot.done:
        return "No system calls"
    if not snapshot.source.backend or snapshot.is_of_log:
        return "Starting…"
    return "No system calls yet: the target is computing, or waiting inside a call"
