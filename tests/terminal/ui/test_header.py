"""Tests of the lines above the table."""

import attrs
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.terminal.ui.header import header, shorten_alerts
from syswatch.views.sparkline import sparkline

from .harness import BUSY, snapshot_of, tally


class HeaderTests(TestCase):
    """The target's line and the line of totals."""

    def test_filtered_calls(self) -> None:
        """Flags that leave out calls are shown with the backend, cut if they are long."""
        snapshot = snapshot_of()
        source = attrs.evolve(snapshot.source, only="-e " + "read," * 10)
        line, _ = header(attrs.evolve(snapshot, source=source), 160, is_paused=False)
        text = "".join(text for text, _ in line)
        self.assertIn("ptrace, only -e read,read,read,read,…  ", text)

    def test_starting(self) -> None:
        """Before the tracer reports its backend none is shown."""
        snapshot = snapshot_of()
        source = attrs.evolve(snapshot.source, backend="")
        line, _ = header(attrs.evolve(snapshot, source=source), 160, is_paused=False)
        text = "".join(text for text, _ in line)
        self.assertIn("● starting  0s", text)

    def test_one_error(self) -> None:
        """One error is singular."""
        _, line = header(snapshot_of(Delta(calls={"read": tally(2, 1)})), 160, is_paused=False)
        self.assertIn("1 error (50 %)", "".join(text for text, _ in line))

    def test_narrow(self) -> None:
        """A narrow terminal shows fewer parts, the most important ones, each in full."""
        lines = header(snapshot_of(BUSY), 44, is_paused=True)
        target, totals = ("".join(text for text, _ in line) for line in lines)
        self.assertIn("PAUSED", target)
        self.assertNotIn("syswatch", target)
        self.assertIn("errors", totals)
        self.assertLessEqual(max(map(len, (target, totals))), 44)

    def test_sparkline(self) -> None:
        """The largest value is a full block; zeros are a flat line."""
        self.assertEqual(sparkline([0, 4, 8]), "▁▅█")
        self.assertEqual(sparkline([0, 0]), "▁▁")


class AlertTests(TestCase):
    """The alerts above the table."""

    def test_cut(self) -> None:
        """An alert is cut to the width, and the last line says how many more there are."""
        long = [("▲ ", "failing"), ("x" * 90, "dim")]
        (line,) = shorten_alerts([long], 2, 80)
        self.assertEqual("▲ " + "x" * 77 + "…", "".join(text for text, _ in line))
        self.assertEqual([long], shorten_alerts([long], 2, 92))
        self.assertIn("and 2 more (press w)", shorten_alerts([long] * 3, 2, 80)[1][0][0])
