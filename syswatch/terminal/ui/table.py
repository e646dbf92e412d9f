"""The table of calls; its cursor stays with a call, wherever that moves."""

from collections.abc import Iterator

from textual import events
from textual.message import Message

from syswatch.model.snapshot import CallStat, Snapshot

from .columns import USUAL, Whole
from .drawing import Drawing
from .layout import Layout, arrange
from .pieces import Row
from .scrolling import Scroll

_WHEEL = 3


class CallTable(Drawing):
    """One title line, then as many calls as fit."""

    DEFAULT_CSS = "CallTable { height: 1fr; }"

    class Chosen(Message):
        """Somebody wants to know more of the call under the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self.sorted_by = "calls"
        self.reverse = False
        self.wanted = ""
        self.columns = USUAL
        self.rows: list[CallStat] = []
        self._calls: tuple[CallStat, ...] = ()
        self._whole = Whole(0, 0)
        self._name = ""
        self._cursor = 0
        self._scroll = Scroll()

    @property
    def chosen(self) -> CallStat | None:
        """The call under the cursor."""
        return self.rows[self._cursor] if self.rows else None

    def show(self, snapshot: Snapshot) -> None:
        """Draw other numbers."""
        self._calls = snapshot.calls
        most = max((call.tally.count for call in snapshot.calls), default=0)
        self._whole = Whole(snapshot.total_ns, most)
        self._arrange()

    def sort(self, column: str) -> None:
        """Sort by a column; once more turns it round."""
        self.reverse = not self.reverse if column == self.sorted_by else False
        self.sorted_by = column
        self._arrange()

    def turn(self) -> None:
        """Sort the other way round."""
        self.reverse = not self.reverse
        self._arrange()

    def keep(self, wanted: str) -> None:
        """Show only what has this text in its name."""
        self.wanted = wanted
        self._arrange()

    def choose_columns(self, columns: frozenset[str]) -> None:
        """Show other columns."""
        self.columns = columns
        self._arrange()

    def move(self, name: str) -> None:
        """Move the cursor as a key does."""
        if self.rows:
            self._choose(self._cursor + self._scroll.step(name))

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the cursor in sight."""
        self._arrange()

    def on_click(self, event: events.Click) -> None:
        """Choose a call, or a column to sort by; twice opens the call."""
        if event.y == 0:
            self.sort(self._layout.column_at(event.x) or self.sorted_by)
        elif self._scroll.top + event.y - 1 < len(self.rows):
            self._choose(self._scroll.top + event.y - 1)
            if event.chain > 1:
                self.post_message(self.Chosen())

    def on_mouse_scroll_down(self, _event: events.MouseScrollDown) -> None:
        """Move on."""
        self._choose(self._cursor + _WHEEL)

    def on_mouse_scroll_up(self, _event: events.MouseScrollUp) -> None:
        """Move back."""
        self._choose(self._cursor - _WHEEL)

    @property
    def _layout(self) -> Layout:
        return Layout.fitted(self.size.width, self.sorted_by, self.columns)

    def _choose(self, at: int) -> None:
        if self.rows:
            self._cursor = min(max(at, 0), len(self.rows) - 1)
            self._name = self.rows[self._cursor].name
            self._scroll.reveal(self._cursor)
            self.draw(list(self._visible()))

    def _arrange(self) -> None:
        self.rows = arrange(self._calls, self.sorted_by, self.wanted, reverse=self.reverse)
        self._scroll.fit(len(self.rows), self.size.height - 1)
        self._cursor = next((at for at, call in enumerate(self.rows) if call.name == self._name), 0)
        # Nobody has moved the cursor yet: then it stays on top, whichever call is there.
        if self._name:
            self._scroll.reveal(self._cursor)
        self.draw(list(self._visible()))

    def _visible(self) -> Iterator[Row]:
        layout = self._layout
        yield Row(layout.titles(self.sorted_by, reverse=self.reverse), "heading")
        if not self.rows:
            empty = "no call fits the filter" if self.wanted else "waiting for the first call"
            yield Row([(empty, "dim")])
        top = self._scroll.top
        for at, call in enumerate(self.rows[top : top + self._scroll.height], top):
            yield Row(layout.row(call, self._whole), selected=at == self._cursor)
