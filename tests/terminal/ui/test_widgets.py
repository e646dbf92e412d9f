"""Tests that only changed rows are rendered again."""

from textual.geometry import Region
from textual.strip import Strip
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta

from .harness import BUSY, Scene, run_app, snapshot_of, tally


def table_strips(scene: Scene) -> list[Strip]:
    """Return the rendered rows of the table."""
    return scene.app.table.render_lines(Region(0, 0, *scene.app.table.size))


class RowWidgetTests(TestCase):
    """The rows of the table."""

    def test_only_changes(self) -> None:
        """A row with unchanged numbers is not rendered again."""

        async def act(scene: Scene) -> None:
            before = table_strips(scene)
            scene.app.update_snapshot(snapshot_of(BUSY, Delta(calls={"openat": tally(5, 5)})))
            await scene.pilot.pause()
            same = [old is new for old, new in zip(before, table_strips(scene), strict=True)]
            changed = [name for name, kept in zip(scene.names, same[1:], strict=False) if not kept]
            self.assertEqual(changed, ["openat"])

        run_app(act)

    def test_another_width(self) -> None:
        """Unchanged rows fill a new width."""

        async def act(scene: Scene) -> None:
            for width in (100, 60, 80):
                await scene.pilot.resize_terminal(width, 24)
                await scene.pilot.pause()
                self.assertEqual({strip.cell_length for strip in table_strips(scene)}, {width})

        run_app(act, snapshot_of())
