"""The list of columns, of which each can be shown or left out."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from .columns import COLUMNS
from .drawing import Drawing
from .keys import MOVES
from .pieces import Line, Row, left
from .scrolling import Scroll

_KEYS: Line = [(" space", "key"), (" show or hide   ", "bar"), ("esc", "key"), (" back", "bar")]
_CHOICE = tuple(column for column in COLUMNS if column.is_choosable)


class _List(Drawing):
    DEFAULT_CSS = "_List { width: 64; height: auto; max-height: 100%; }"

    def get_content_height(self, *_: object) -> int:
        """Return how many lines there are."""
        return len(_CHOICE) + 2


class ColumnChooser(ModalScreen[None]):
    """Tells at once which columns are wanted, whenever one is added or taken away."""

    DEFAULT_CSS = "ColumnChooser { align: center middle; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        ("space,enter,x", "choose", "Show or hide"),
        ("escape,q,v", "dismiss", "Back"),
    ]

    def __init__(self, wanted: frozenset[str], tell: Callable[[frozenset[str]], None]) -> None:
        super().__init__()
        self._wanted = wanted
        self._tell = tell
        self._cursor = 0
        self._scroll = Scroll()
        self._list = _List()

    def compose(self) -> ComposeResult:
        """Show the list."""
        yield self._list

    def on_mount(self) -> None:
        """Fill the list."""
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.call_after_refresh(self._draw)

    def action_move(self, name: str) -> None:
        """Move the cursor."""
        self._cursor = min(max(self._cursor + self._scroll.step(name), 0), len(_CHOICE) - 1)
        self._draw()

    def action_choose(self) -> None:
        """Show the column under the cursor, or leave it out."""
        self._wanted ^= {_CHOICE[self._cursor].name}
        self._tell(self._wanted)
        self._draw()

    def _draw(self) -> None:
        self._scroll.fit(len(_CHOICE), self._list.size.height - 2)
        self._scroll.reveal(self._cursor)
        top, height = self._scroll.top, self._scroll.height
        shown = [
            Row(self._line(at), "bar", selected=at == self._cursor)
            for at in range(top, min(top + height, len(_CHOICE)))
        ]
        title = Row([(" Columns", "heading")], "heading")
        self._list.draw([title, *shown, Row(_KEYS, "bar")])

    def _line(self, at: int) -> Line:
        column = _CHOICE[at]
        mark = "x" if column.name in self._wanted else " "
        title = column.title or column.name
        return [(f" [{mark}] ", "bar"), (left(title, 8), "bar"), (column.meaning, "bar")]
