"""
The screens, byte for byte as they were when somebody looked at them and found them good.

`python -m tests.terminal.ui.test_golden` draws them anew, and the pictures of the documentation
with them; look at them before they are committed.
"""

import os
import time
from pathlib import Path

import attrs
from twisted.trial.unittest import TestCase

from syswatch.model.snapshot import Snapshot

from .scenes import Recorder, Scene, play
from .showcase import OUTPUT, at_work, gone
from .svg import svg

_FOLDER = Path(__file__).parent / "golden"
_DOCS = Path(__file__).parents[3] / "docs"
_PICTURES = {"table": "terminal-ui.svg", "detail": "terminal-ui-detail.svg"}
_SIZES = ((80, 24), (160, 50))
_AGAIN = "if it should be: python -m tests.terminal.ui.test_golden, and look at it"


@attrs.frozen
class View:
    """What is shown, and the keys that lead there."""

    name: str
    keys: tuple[str, ...] = ()
    ended: bool = False

    def snapshot(self) -> Snapshot:
        """Return what is watched."""
        return gone() if self.ended else at_work()


VIEWS = (
    View("table"),
    View("ended", ended=True),
    View("sorted", ("e", "r", "j", "j")),
    View("filter", ("slash", "n", "e", "t")),
    View("frozen", ("space",)),
    View("detail", ("e", "d")),
    View("files", ("f",)),
    View("log", ("l",)),
    View("processes", ("p",)),
    View("output", ("o",)),
    View("alerts", ("w",)),
    View("columns", ("v", "j")),
    View("help", ("question_mark",)),
    View("question", ("q",)),
)


def stand_still() -> None:
    """Be in one zone, with colours."""
    os.environ["TZ"] = "UTC"
    os.environ.pop("NO_COLOR", None)
    time.tzset()


def drawn(view: View, size: tuple[int, int]) -> str:
    """Show a view and draw it."""
    drawings: list[str] = []

    async def act(scene: Scene) -> None:
        await scene.press(*view.keys)
        drawings.append(svg(scene.app.screen._compositor.render_strips()))

    play(act, view.snapshot(), size, Recorder(alive=not view.ended, lines=OUTPUT))
    return drawings[0]


def path_of(view: View, size: tuple[int, int]) -> Path:
    """Return where the drawing of a view is kept."""
    return _FOLDER / f"{view.name}-{size[0]}x{size[1]}.svg"


class GoldenTests(TestCase):
    """What is drawn is what was found good."""

    def setUp(self) -> None:
        """Be where the drawings were made."""
        before = dict(os.environ)

        def restore() -> None:
            os.environ.clear()
            os.environ.update(before)
            time.tzset()

        self.addCleanup(restore)
        stand_still()

    def compare(self, size: tuple[int, int]) -> None:
        """Compare every view."""
        for view in VIEWS:
            path = path_of(view, size)
            same = path.read_text() == drawn(view, size)
            self.assertTrue(same, f"{path.name} is drawn in another way; {_AGAIN}")

    def test_small(self) -> None:
        """On 80 by 24 cells."""
        self.compare((80, 24))

    def test_large(self) -> None:
        """On 160 by 50 cells."""
        self.compare((160, 50))


def draw_anew() -> None:
    """Write every drawing."""
    stand_still()
    for view in VIEWS:
        for size in _SIZES:
            path_of(view, size).write_text(drawn(view, size))
    for name, picture in _PICTURES.items():
        view = next(view for view in VIEWS if view.name == name)
        (_DOCS / picture).write_text(drawn(view, (100, 28)))


if __name__ == "__main__":
    draw_anew()
