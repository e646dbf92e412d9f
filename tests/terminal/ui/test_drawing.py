"""What a picture costs: only what has changed is drawn anew."""

from textual.geometry import Region
from textual.strip import Strip
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta

from .scenes import BUSY, Scene, play, snapshot_of, tally


def strips(scene: Scene) -> list[Strip]:
    """Return what the table draws, as Textual asks for it."""
    return scene.app.table.render_lines(Region(0, 0, *scene.app.table.size))


class DrawingTests(TestCase):
    """The rows of the table."""

    def test_only_changes(self) -> None:
        """A row whose numbers are as before is not drawn again."""

        async def act(scene: Scene) -> None:
            before = strips(scene)
            scene.app.take(snapshot_of(BUSY, Delta(calls={"openat": tally(5, 5)})))
            await scene.pilot.pause()
            same = [old is new for old, new in zip(before, strips(scene), strict=True)]
            changed = [name for name, kept in zip(scene.names, same[1:], strict=False) if not kept]
            self.assertEqual(changed, ["openat"])

        play(act)

    def test_another_width(self) -> None:
        """Rows that stay as they are fill another width, too."""

        async def act(scene: Scene) -> None:
            for width in (100, 60, 80):
                await scene.pilot.resize_terminal(width, 24)
                await scene.pilot.pause()
                self.assertEqual({strip.cell_length for strip in strips(scene)}, {width})

        play(act, snapshot_of())
