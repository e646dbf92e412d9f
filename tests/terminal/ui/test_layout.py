"""Tests of which columns fit a width."""

from typing import Any

from twisted.trial.unittest import TestCase

from syswatch.terminal.ui.columns import usual
from syswatch.terminal.ui.layout import Layout
from syswatch.terminal.ui.lists import LISTS
from syswatch.terminal.ui.lists.calls import CALLS

COLUMNS = CALLS.columns
BY_NAME = {column.name: column for column in COLUMNS}
USUAL = usual(COLUMNS)


def fitted(width: int, sorted_by: str, wanted: frozenset[str] = USUAL) -> Layout[Any]:
    """Return the layout of the list of calls."""
    return Layout.fitted(COLUMNS, width, sorted_by, wanted)


class LayoutTests(TestCase):
    """The columns of a width."""

    def test_width(self) -> None:
        """No layout is wider than the terminal, and each has the column sorted by."""
        for width in range(40, 200, 7):
            for listing in LISTS.values():
                for column in listing.columns:
                    wanted = usual(listing.columns)
                    layout = Layout.fitted(listing.columns, width, column.name, wanted)
                    self.assertLessEqual(sum(cells + 1 for _, cells in layout.columns), width)
                    self.assertIn(column, [each for each, _ in layout.columns])

    def test_titles(self) -> None:
        """Each title fits its column, with the arrow and the tilde of an estimate."""
        for listing in LISTS.values():
            for shown in filter(None, (listing, listing.scoped)):
                for column in shown.columns:
                    layout = Layout(((column, column.width),))
                    ((text, _),) = layout.titles(column.name, reverse=False, is_estimated=True)
                    self.assertNotIn("…", text)

    def test_chosen_columns(self) -> None:
        """Only chosen columns are shown; those hidden by default come before the others."""
        chosen = USUAL - {"calls", "category"} | {"min"}
        for width in (40, 80, 200):
            shown = {column.name for column, _ in fitted(width, "p99", chosen).columns}
            self.assertLessEqual(shown, chosen)
            self.assertLessEqual({"name", "p99", "min"}, shown)

    def test_extra_cells(self) -> None:
        """A wide terminal leaves more space between columns of numbers."""
        narrow, wide = (dict(fitted(width, "calls").columns) for width in (80, 200))
        for column in (BY_NAME["total"], BY_NAME["average"]):
            self.assertEqual(column.width + 2, wide[column])
        self.assertEqual(BY_NAME["average"].width, narrow[BY_NAME["average"]])
