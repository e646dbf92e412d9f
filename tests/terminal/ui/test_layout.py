"""Tests of which columns fit a width."""

from twisted.trial.unittest import TestCase

from syswatch.terminal.ui.columns import BY_NAME, COLUMNS, USUAL
from syswatch.terminal.ui.layout import Layout


class LayoutTests(TestCase):
    """The columns of a width."""

    def test_width(self) -> None:
        """No layout is wider than the terminal, and each has the column sorted by."""
        for width in range(40, 200, 7):
            for column in COLUMNS:
                layout = Layout.fitted(width, column.name)
                self.assertLessEqual(sum(cells + 1 for _, cells in layout.columns), width)
                self.assertIn(column, [each for each, _ in layout.columns])

    def test_chosen_columns(self) -> None:
        """Only chosen columns are shown; those hidden by default come before the others."""
        chosen = USUAL - {"calls", "category"} | {"min"}
        for width in (40, 80, 200):
            shown = {column.name for column, _ in Layout.fitted(width, "p99", chosen).columns}
            self.assertLessEqual(shown, chosen)
            self.assertLessEqual({"name", "p99", "min"}, shown)

    def test_extra_cells(self) -> None:
        """A wide terminal leaves more space between columns of numbers."""
        narrow, wide = (dict(Layout.fitted(width, "calls").columns) for width in (80, 160))
        for column in (BY_NAME["total"], BY_NAME["average"]):
            self.assertEqual(column.width + 2, wide[column])
        self.assertEqual(BY_NAME["average"].width, narrow[BY_NAME["average"]])
