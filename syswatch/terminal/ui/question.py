"""A question that stands over everything until it is answered."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from .lines import Lines
from .pieces import Line


class Question(ModalScreen[bool]):
    """Answers with whether it was agreed to."""

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question Lines { width: 64; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("y,enter", "answer(True)", "yes"),
        ("n,q,escape", "answer(False)", "no"),
    ]

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        lines: list[Line] = [[(f" {line}", "bar")] for line in words]
        keys: Line = [(" y", "key"), (" yes   ", "bar"), ("n", "key"), (" no", "bar")]
        self._lines = [[], *lines, [], keys, []]
        self._box = Lines("bar")

    def compose(self) -> ComposeResult:
        """Show the box."""
        yield self._box

    def on_mount(self) -> None:
        """Fill the box."""
        self._box.show(self._lines)

    def action_answer(self, agreed: bool) -> None:  # noqa: FBT001  Textual passes it so
        """Answer."""
        self.dismiss(agreed)
