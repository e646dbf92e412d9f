"""Tests of how wide texts are in a terminal."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.cells import cells, first_cells, last_cells

_ACCENTED = "e\u0301"


class CellTests(SynchronousTestCase):
    """Characters that take one column, two, or none."""

    def test_width(self) -> None:
        """Wide characters count twice, and combining ones not at all."""
        for text, width in (
            ("", 0),
            ("read", 4),
            ("3 µs …", 6),
            ("日本", 4),
            ("😀", 2),
            (f"caf{_ACCENTED}", 4),
        ):
            self.assertEqual(width, cells(text), text)

    def test_cut(self) -> None:
        """A text is cut between characters, with their marks, and never wider than asked for."""
        self.assertEqual(("re", "ad"), (first_cells("read", 2), last_cells("read", 2)))
        self.assertEqual(("日", "語"), (first_cells("日本語", 3), last_cells("日本語", 3)))
        self.assertEqual(f"a{_ACCENTED}", first_cells(f"a{_ACCENTED}b", 2))
        self.assertEqual("b", last_cells(f"a{_ACCENTED}b", 1))
        self.assertEqual(("", ""), (first_cells("日本", 0), last_cells("日本", -1)))
        self.assertEqual(("日本", "日本"), (first_cells("日本", 9), last_cells("日本", 9)))
