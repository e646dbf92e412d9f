"""A page over the table: a title, lines that scroll, and how to leave."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from syswatch.model.snapshot import Snapshot

from .drawing import Drawing
from .keys import MOVES
from .lines import Lines
from .pieces import Line, Row, cells
from .scrolling import Scroll

Content = Callable[[Snapshot, int], Sequence[Line]]
_WHEEL = 3
_SHIFT = 20


class Pager(Drawing):
    """Lines of which a part is seen, under the titles of their columns.

    `follows` keeps the end in sight until one leaves it; `moved` learns that others are seen.
    """

    DEFAULT_CSS = "Pager { height: 1fr; }"

    def __init__(
        self, moved: Callable[[], None], columns: Line = (), *, follows: bool = False
    ) -> None:
        super().__init__()
        self.scroll = Scroll()
        self._moved = moved
        self._titles = [columns] if columns else []
        self._follows = follows
        self._left = 0
        self._lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Draw other lines."""
        was_at_end = self.scroll.at_end
        self._lines = lines
        self.scroll.fit(len(lines), self.size.height - len(self._titles))
        if self._follows and was_at_end:
            self.scroll.to(len(lines))
        self._draw()

    def move(self, step: int) -> None:
        """Scroll by some lines."""
        self.scroll.to(self.scroll.top + step)
        self._draw()

    def shift(self, step: int) -> None:
        """Scroll sideways, no further than the lines in sight go."""
        longest = max(map(cells, self._seen), default=0)
        self._left = max(0, min(self._left + step, longest - self.size.width))
        self._draw()

    def on_resize(self, _event: events.Resize) -> None:
        """Stay inside."""
        self.show(self._lines)

    def on_mouse_scroll_down(self, _event: events.MouseScrollDown) -> None:
        """Scroll on."""
        self.move(_WHEEL)

    def on_mouse_scroll_up(self, _event: events.MouseScrollUp) -> None:
        """Scroll back."""
        self.move(-_WHEEL)

    @property
    def _seen(self) -> Sequence[Line]:
        top = self.scroll.top
        return self._lines[top : top + self.scroll.height]

    def _draw(self) -> None:
        titles = [Row(line, "heading", skip=self._left) for line in self._titles]
        self.draw([*titles, *(Row(line, skip=self._left) for line in self._seen)])
        self._moved()


class Page(ModalScreen[None]):
    """Shows what a function makes of each snapshot."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
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
        self._head = Lines("heading")
        self._pager = Pager(self._draw_foot, columns, follows=follows)
        self._foot = Lines("bar")
        self._said = ""

    def compose(self) -> ComposeResult:
        """Stack title, lines and keys."""
        yield self._head
        yield self._pager
        yield self._foot

    def take(self, snapshot: Snapshot) -> None:
        """Show another snapshot."""
        self._snapshot = snapshot
        self._draw()

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys, if there is one."""
        self._said = words
        self._draw_foot()

    def action_move(self, name: str) -> None:
        """Scroll as a key does."""
        self._pager.move(self._pager.scroll.step(name))

    def action_shift(self, direction: int) -> None:
        """Scroll sideways as a key does."""
        self._pager.shift(direction * _SHIFT)

    def on_resize(self, _event: events.Resize) -> None:
        """Break the lines anew."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        self._head.show([[(f" {self.heading}", "heading")]])
        self._pager.show(self._content(self._snapshot, self.size.width))

    def _draw_foot(self) -> None:
        self._foot.show([[(self._said, "bar")] if self._said else self._place()])

    def _place(self) -> Line:
        scroll = self._pager.scroll
        seen = min(scroll.top + scroll.height, scroll.length)
        place = f"  {scroll.top + 1 if scroll.length else 0}–{seen} of {scroll.length}"
        return [("esc", "key"), (" back  ", ""), ("j k ↑ ↓ ← →", "key"), (place, "")]
