"""A page over the table: a title, lines that scroll, and a footer."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from syswatch.model.snapshot import Snapshot

from .keys import MOVES, tab_bindings
from .long_lists import ScrollPosition
from .styled_text import Line, Row, cell_width
from .widgets import LinesWidget, RowWidget

Content = Callable[[Snapshot, int], Sequence[Line]]
_WHEEL_LINES = 3
_SHIFT_CELLS = 20


class Pager(RowWidget):
    """Scrollable lines, under the titles of their columns if they have any.

    `follows` keeps the end visible until the user scrolls away from it; `on_scroll` is called when
    other lines become visible.
    """

    DEFAULT_CSS = "Pager { height: 1fr; }"

    def __init__(
        self, on_scroll: Callable[[], None], columns: Line = (), *, follows: bool = False
    ) -> None:
        super().__init__()
        self.scroll = ScrollPosition()
        self._on_scroll = on_scroll
        self._titles = [columns] if columns else []
        self._follows = follows
        self._skipped_cells = 0
        self._lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines."""
        was_at_end = self.scroll.at_end
        self._lines = lines
        self.scroll.fit(len(lines), self.size.height - len(self._titles))
        if self._follows and was_at_end:
            self.scroll.scroll_to(len(lines))
        self._draw()

    def move(self, step: int) -> None:
        """Scroll by some lines."""
        self.scroll.scroll_to(self.scroll.top + step)
        self._draw()

    def shift(self, step: int) -> None:
        """Scroll sideways, up to the end of the longest visible line."""
        longest = max(map(cell_width, self._visible), default=0)
        self._skipped_cells = max(0, min(self._skipped_cells + step, longest - self.size.width))
        self._draw()

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the position within its bounds."""
        self.show(self._lines)

    def on_mouse_scroll_down(self, _event: events.MouseScrollDown) -> None:
        """Scroll down."""
        self.move(_WHEEL_LINES)

    def on_mouse_scroll_up(self, _event: events.MouseScrollUp) -> None:
        """Scroll up."""
        self.move(-_WHEEL_LINES)

    @property
    def _visible(self) -> Sequence[Line]:
        top = self.scroll.top
        return self._lines[top : top + self.scroll.height]

    def _draw(self) -> None:
        skipped = self._skipped_cells
        titles = [Row(line, "heading", skipped_cells=skipped) for line in self._titles]
        self.draw([*titles, *(Row(line, skipped_cells=skipped) for line in self._visible)])
        self._on_scroll()


class Page(ModalScreen[str | None]):
    """
    Shows the lines that a function returns for each snapshot.

    Its result is the name of the tab whose key closed it, if one did.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        *tab_bindings(),
        ("left", "shift(-1)", "Left"),
        ("right", "shift(1)", "Right"),
        ("escape,q,enter", "dismiss", "Back"),
    ]

    def __init__(
        self,
        title: str,
        content: Content,
        snapshot: Snapshot,
        *,
        columns: Line = (),
        follows: bool = False,
    ) -> None:
        super().__init__()
        self.heading = title
        self._content = content
        self._snapshot = snapshot
        self._title = LinesWidget("heading")
        self._pager = Pager(self._draw_footer, columns, follows=follows)
        self._footer = LinesWidget("bar")
        self._notification = ""

    def compose(self) -> ComposeResult:
        """Yield title, lines and footer."""
        yield self._title
        yield self._pager
        yield self._footer

    def update_snapshot(self, snapshot: Snapshot) -> None:
        """Show another snapshot."""
        self._snapshot = snapshot
        self._draw()

    def show_notification(self, text: str) -> None:
        """Show a text in place of the footer, or the footer again if it is empty."""
        self._notification = text
        self._draw_footer()

    def action_move(self, name: str) -> None:
        """Scroll."""
        self._pager.move(self._pager.scroll.step(name))

    def action_shift(self, direction: int) -> None:
        """Scroll sideways."""
        self._pager.shift(direction * _SHIFT_CELLS)

    def action_tab(self, name: str) -> None:
        """Close, to show another tab."""
        self.dismiss(name)

    def on_resize(self, _event: events.Resize) -> None:
        """Wrap the lines to the new width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        self._title.show([[(f" {self.heading}", "heading")]])
        self._pager.show(self._content(self._snapshot, self.size.width))

    def _draw_footer(self) -> None:
        note = self._notification
        self._footer.show([[(note, "bar")] if note else self._footer_line()])

    def _footer_line(self) -> Line:
        scroll = self._pager.scroll
        last = scroll.top + scroll.height
        position = f"  {scroll.top + 1}–{last} of {scroll.length}" if scroll.last_top else ""
        return [
            ("esc", "key"),
            (" back  ", ""),
            ("↑ ↓ ← →", "key"),
            (f" scroll{position}", ""),
        ]
