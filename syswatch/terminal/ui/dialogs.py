"""Dialogs over the table: a question, and the column chooser."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from .columns import Column
from .keys import MOVES
from .long_lists import ScrollPosition
from .styled_text import Line, Row, align_left
from .widgets import LinesWidget, RowWidget

_LEAST_TITLE = 8
_CHOOSER_KEYS: Line = [
    (" space", "key"),
    (" show / hide   ", "bar"),
    ("esc", "key"),
    (" back", "bar"),
]


class Question(ModalScreen[bool]):
    """A question to answer with yes or no."""

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question LinesWidget { width: 64; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("y,enter", "answer(True)", "yes"),
        ("n,q,escape", "answer(False)", "no"),
    ]

    def __init__(self, text: Sequence[str]) -> None:
        super().__init__()
        lines: list[Line] = [[(f" {line}", "bar")] for line in text]
        keys: Line = [(" y", "key"), (" yes   ", "bar"), ("n", "key"), (" no", "bar")]
        self._lines = [[], *lines, [], keys, []]
        self._box = LinesWidget("bar")

    def compose(self) -> ComposeResult:
        """Yield the box."""
        yield self._box

    def on_mount(self) -> None:
        """Fill the box."""
        self._box.show(self._lines)

    def action_answer(self, is_yes: bool) -> None:  # noqa: FBT001  Textual passes it so
        """Close with an answer."""
        self.dismiss(is_yes)


class _ColumnList(RowWidget):
    DEFAULT_CSS = "_ColumnList { width: 64; height: auto; max-height: 100%; }"

    def __init__(self, length: int) -> None:
        super().__init__()
        self._length = length

    def get_content_height(self, *_: object) -> int:
        """Return the number of lines."""
        return self._length + 2


class ColumnChooser(ModalScreen[None]):
    """A list of columns to show or hide; calls `on_change` after each change."""

    DEFAULT_CSS = "ColumnChooser { align: center middle; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        ("space,enter,x", "show_or_hide", "Show or hide"),
        ("escape,q,v", "dismiss", "Back"),
    ]

    def __init__(
        self,
        columns: Sequence[Column[Any]],
        shown: frozenset[str],
        on_change: Callable[[frozenset[str]], None],
    ) -> None:
        super().__init__()
        # The first column, which names the row, is always shown.
        self._choices = [column for column in columns if column.place.rank]
        self._titles = [column.title or column.name for column in self._choices]
        self._shown = shown
        self._on_change = on_change
        self._cursor = 0
        self._scroll = ScrollPosition()
        self._list = _ColumnList(len(self._choices))

    def compose(self) -> ComposeResult:
        """Yield the list."""
        yield self._list

    def on_mount(self) -> None:
        """Fill the list."""
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        """Keep the cursor visible."""
        self.call_after_refresh(self._draw)

    def action_move(self, name: str) -> None:
        """Move the cursor."""
        self._cursor = min(max(self._cursor + self._scroll.step(name), 0), len(self._choices) - 1)
        self._draw()

    def action_show_or_hide(self) -> None:
        """Show or hide the column under the cursor."""
        self._shown ^= {self._choices[self._cursor].name}
        self._on_change(self._shown)
        self._draw()

    def _draw(self) -> None:
        self._scroll.fit(len(self._choices), self._list.size.height - 2)
        self._scroll.reveal(self._cursor)
        top, height = self._scroll.top, self._scroll.height
        visible = [
            Row(self._line(index), "bar", selected=index == self._cursor)
            for index in range(top, min(top + height, len(self._choices)))
        ]
        title = Row([(" Columns", "heading")], "heading")
        self._list.draw([title, *visible, Row(_CHOOSER_KEYS, "bar")])

    def _line(self, index: int) -> Line:
        column = self._choices[index]
        mark = "x" if column.name in self._shown else " "
        width = max(_LEAST_TITLE, 1 + max(map(len, self._titles)))
        return [
            (f" [{mark}] ", "bar"),
            (align_left(self._titles[index], width), "bar"),
            (column.meaning, "bar"),
        ]
