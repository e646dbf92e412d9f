"""Tests that only changed rows are rendered again."""

import attrs
from textual.geometry import Region, Size
from textual.strip import Strip
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.model.messages import Ended
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.styled_text import Line
from syswatch.terminal.ui.widgets import AlertLines

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


class AlertLinesTests(TestCase):
    """The lines of alerts."""

    def shown(self, *snapshots: Snapshot) -> list[str]:
        """Show snapshots one after the other; return the first line for each."""
        lines: list[str] = []

        def show(found: list[Line]) -> None:
            lines.append("".join(text for text, _ in found[0]) if found else "")

        widget = AlertLines()
        self.patch(widget, "show", show)
        for snapshot in snapshots:
            widget.show_alerts(snapshot, Size(80, 24))
        return lines

    def test_running(self) -> None:
        """In a trace that runs, they are as old as a second."""
        one, other = (snapshot_of(Delta(calls={"read": tally(100, each)})) for each in (60, 90))
        now_ns = 5 * 10**9
        same, later = attrs.evolve(other, now_ns=now_ns + 9), attrs.evolve(other, now_ns=6 * 10**9)
        first, second, third = self.shown(attrs.evolve(one, now_ns=now_ns), same, later)

        self.assertIn("60 %", first)
        self.assertEqual(first, second)
        self.assertIn("90 %", third)

    def test_ranges(self) -> None:
        """Those of a range, and of a trace that has ended, are its own, although it ends then."""
        deltas = [Delta(calls={"read": tally(100, each)}) for each in (60, 70, 90)]
        one, other, whole = (
            attrs.evolve(snapshot_of(each, end=Ended()), now_ns=5 * 10**9) for each in deltas
        )
        ranges = (attrs.evolve(each, part_of=whole) for each in (one, other))

        for share, line in zip(("60 %", "70 %", "90 %"), self.shown(*ranges, whole), strict=True):
            self.assertIn(share, line)
