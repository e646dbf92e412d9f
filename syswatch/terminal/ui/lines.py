"""Widgets of a few lines."""

from collections.abc import Sequence

from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS

from . import head
from .drawing import Drawing
from .pieces import Line, Row


class Lines(Drawing):
    """Some lines; as high as there are lines."""

    DEFAULT_CSS = "Lines { height: auto; }"

    def __init__(self, ink: str = "") -> None:
        super().__init__()
        self._ink = ink

    def show(self, lines: Sequence[Line]) -> None:
        """Draw other lines."""
        higher = len(lines) != len(self._rows)
        self.draw([Row(line, self._ink) for line in lines])
        if higher:
            self.refresh(layout=True)

    def get_content_height(self, *_: object) -> int:
        """Return how many lines there are."""
        return len(self._rows)


class StandingOut(Lines):
    """What stands out: looking for it takes long, and once a second is soon enough."""

    def __init__(self) -> None:
        super().__init__()
        self._found: list[Line] = []
        self._looked: tuple[int | None, bool] = (None, False)

    def take(self, snapshot: Snapshot, most: int, width: int) -> None:
        """Show the gravest of it."""
        second = None if snapshot.now_ns is None else snapshot.now_ns // SECOND_NS
        if second is None or (second, snapshot.done) != self._looked:
            self._looked = (second, snapshot.done)
            self._found = head.standing_out(snapshot)
        self.show(head.shortened(self._found, most, width))
