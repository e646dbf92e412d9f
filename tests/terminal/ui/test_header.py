"""Tests of the lines above the table."""

import attrs
from twisted.trial.unittest import TestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.details.parts import state_rows
from syswatch.terminal.ui.header import alerts_page, header, shorten_alerts
from syswatch.views.budget.states import TimeState
from syswatch.views.sparkline import sparkline

from .example_server import running
from .harness import BUSY, snapshot_of, tally


def text_of(
    snapshot: Snapshot, width: int = 160, height: int = 24, *, is_paused: bool = False
) -> str:
    """Return the lines as text."""
    lines = header(snapshot, (width, height), is_paused=is_paused)
    return "\n".join("".join(text for text, _ in line) for line in lines)


class HeaderTests(TestCase):
    """The verdict, the target's line, the time budget and the line of totals."""

    def test_filtered_calls(self) -> None:
        """Flags that leave out calls are shown with the backend, cut if they are long."""
        snapshot = snapshot_of()
        source = attrs.evolve(snapshot.source, only="-e " + "read," * 10)
        text = text_of(attrs.evolve(snapshot, source=source))
        self.assertIn("ptrace, only -e read,read,read,read,…  ", text)

    def test_starting(self) -> None:
        """Before the tracer reports its backend none is shown."""
        snapshot = snapshot_of()
        source = attrs.evolve(snapshot.source, backend="")
        self.assertIn("● starting  0s", text_of(attrs.evolve(snapshot, source=source)))

    def test_one_error(self) -> None:
        """One error is singular."""
        text = text_of(snapshot_of(Delta(calls={"read": tally(2, 1)})))
        self.assertIn("1 error (50 %)", text)

    def test_narrow(self) -> None:
        """A narrow terminal shows fewer parts, the most important ones, each in full."""
        text = text_of(snapshot_of(BUSY), 44, is_paused=True)
        self.assertIn("PAUSED", text)
        self.assertNotIn("syswatch", text)
        self.assertIn("errors", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 44)

    def test_verdict(self) -> None:
        """The verdict comes first, on at most three lines; the rest of it is on a page."""
        first, _, third, target, *_ = text_of(running(), 60).splitlines()
        self.assertTrue(first.startswith("idle 92 % of 12m4s"), first)
        self.assertTrue(third.endswith("…"), third)
        self.assertIn("nginx[42]", target)
        self.assertIn("fsync of /var/lib/app/db.wal", text_of(running(), 100, 50))
        page = "\n".join(text for line in alerts_page(running(), 80) for text, _ in line)
        self.assertIn("fsync of /var/lib/app/db.wal", " ".join(page.split()))

    def test_left_out(self) -> None:
        """With a filter, the titles and a note tell which time is not known to be own code."""
        snapshot = running()
        filtered = attrs.evolve(snapshot, source=attrs.evolve(snapshot.source, only="-e read"))
        note = "outside includes own code and the time in calls that are left out by -e read"
        self.assertIn("U outside ", text_of(filtered))
        self.assertNotIn(note, text_of(filtered))
        self.assertIn(f"\n{note}\n", text_of(filtered, height=50))
        page = "\n".join(text for line in alerts_page(filtered, 160) for text, _ in line)
        self.assertIn(note, page)
        states = {TimeState.USER: 3, TimeState.WORKING: 1}
        first, second = state_rows(filtered, states, 60)
        self.assertTrue(first[0][0].startswith("U outside "))
        self.assertEqual(len(first[0][0]), len(second[0][0]))

    def test_categories(self) -> None:
        """The bar of categories is shown if there is space, or if times are not known."""
        self.assertNotIn("of calls", text_of(running()))
        self.assertIn("of calls", text_of(running(), height=50))
        self.assertIn("of calls", text_of(snapshot_of(Delta(calls={"read": CallTally(7)}))))

    def test_sparkline(self) -> None:
        """The largest value is a full block; zeros are a flat line."""
        self.assertEqual(sparkline([0, 4, 8]), "▁▅█")
        self.assertEqual(sparkline([0, 0]), "▁▁")


class AlertTests(TestCase):
    """The alerts above the table."""

    def test_low(self) -> None:
        """On a low terminal, less is shown above the list, so that some of it is visible."""
        first, target, bar = text_of(running(), 40, 10).splitlines()
        self.assertTrue(first.startswith("idle 92 %") and first.endswith("…"), first)
        self.assertIn("nginx[42]", target)
        self.assertTrue(bar.startswith("B"), bar)

    def test_cut(self) -> None:
        """An alert is cut to the width, and the last line says how many more there are."""
        long = [("▲ ", "failing"), ("x" * 90, "dim")]
        (line,) = shorten_alerts([long], (80, 24))
        self.assertEqual("▲ " + "x" * 77 + "…", "".join(text for text, _ in line))
        self.assertEqual([long], shorten_alerts([long], (92, 24)))
        line = [("▲ ", ""), ("t" * 90, ""), ("  why", "")]
        ((*_, (title, _)),) = shorten_alerts([line], (80, 24))
        self.assertEqual("t" * 77 + "…", title)
        self.assertIn("and 2 more (press w)", shorten_alerts([long] * 3, (80, 24))[1][0][0])
        self.assertEqual([[("  3 alerts (press w)", "dim")]], shorten_alerts([long] * 3, (80, 10)))
