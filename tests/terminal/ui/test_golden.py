"""
The screens, compared byte for byte with reviewed drawings.

`python -m tests.terminal.ui.test_golden` updates the drawings, and the pictures in the
documentation with them. Review them before you commit.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import attrs
from twisted.trial.unittest import TestCase

from syswatch.model.snapshot import Snapshot

from .example_server import OUTPUT, ended, grouped, part_of, running, without_times
from .harness import Recorder, Scene, run_app
from .svg import svg

_FOLDER = Path(__file__).parent / "golden"
_DOCS = Path(__file__).parents[3] / "docs"
_PICTURES = {
    "table": "terminal-ui.svg",
    "detail": "terminal-ui-detail.svg",
    "replay-range": "terminal-ui-replay.svg",
}
_SIZES = ((80, 24), (160, 50))
_HINT = "if that is intended, run python -m tests.terminal.ui.test_golden and review the change"


@attrs.frozen
class View:
    """A screen, and the keys that lead there."""

    name: str
    keys: tuple[str, ...] = ()
    at: Callable[[], Snapshot] = running
    is_replay: bool = False


VIEWS = (
    View("table"),
    View("ended", at=ended),
    View("sorted", ("e", "r", "j", "j")),
    View("without-times", at=without_times),
    View("filter", ("slash", "n", "e", "t")),
    View("paused", ("space",)),
    View("detail", ("e", "d")),
    View("objects", ("2", "j")),
    View("object", ("2", "d")),
    View("object-calls", ("2", "enter")),
    View("threads", ("3",)),
    View("thread", ("3", "d")),
    View("slowest", ("4",)),
    View("slow-call", ("4", "enter")),
    View("process", ("p", "j", "d")),
    View("process-objects", ("p", "j", "j", "enter", "2")),
    View("files", ("f",)),
    View("groups", ("9", "j"), grouped),
    View("group", ("9", "d"), grouped),
    View("log", ("l",)),
    View("processes", ("p",)),
    View("output", ("o",)),
    View("alerts", ("w",)),
    View("columns", ("v", "j")),
    View("help", ("question_mark",)),
    View("question", ("q",)),
    View("replay", at=ended, is_replay=True),
    View("replay-range", ("plus", "plus", "left"), ended, is_replay=True),
    View("replay-help", ("question_mark",), ended, is_replay=True),
)


def fix_environment() -> None:
    """Set a fixed time zone, and allow colours."""
    os.environ["TZ"] = "UTC"
    os.environ.pop("NO_COLOR", None)
    time.tzset()


def draw(view: View, size: tuple[int, int]) -> str:
    """Return the drawing of a view."""
    drawings: list[str] = []

    async def act(scene: Scene) -> None:
        await scene.press(*view.keys)
        drawings.append(svg(scene.strips))

    snapshot = view.at()
    part = part_of(snapshot) if view.is_replay else None
    run_app(act, snapshot, size, Recorder(alive=not snapshot.done, lines=OUTPUT, part=part))
    return drawings[0]


def path_of(view: View, size: tuple[int, int]) -> Path:
    """Return the path of the drawing of a view."""
    return _FOLDER / f"{view.name}-{size[0]}x{size[1]}.svg"


class GoldenTests(TestCase):
    """Each screen is equal to its reviewed drawing."""

    def setUp(self) -> None:
        """Set the environment of the drawings."""
        before = dict(os.environ)

        def restore() -> None:
            os.environ.clear()
            os.environ.update(before)
            time.tzset()

        self.addCleanup(restore)
        fix_environment()

    def compare(self, size: tuple[int, int]) -> None:
        """Compare every view."""
        for view in VIEWS:
            path = path_of(view, size)
            same = path.read_text() == draw(view, size)
            self.assertTrue(same, f"{path.name} differs; {_HINT}")

    def test_small(self) -> None:
        """The screens of 80 by 24 cells are as reviewed."""
        self.compare((80, 24))

    def test_large(self) -> None:
        """The screens of 160 by 50 cells are as reviewed."""
        self.compare((160, 50))


def update_drawings() -> None:
    """Write all drawings."""
    fix_environment()
    for view in VIEWS:
        for size in _SIZES:
            path_of(view, size).write_text(draw(view, size))
    for name, snapshot_of in _PICTURES.items():
        view = next(view for view in VIEWS if view.name == name)
        (_DOCS / snapshot_of).write_text(draw(view, (100, 28)))


if __name__ == "__main__":
    update_drawings()
