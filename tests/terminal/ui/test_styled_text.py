"""Tests of spans, lines and their cells."""

from rich.style import Style
from twisted.trial.unittest import TestCase

from syswatch.terminal.ui.styled_text import (
    SELECTED,
    STYLES,
    Row,
    align_left,
    align_path,
    align_right,
    cut_line,
    render,
    without_colour,
    wrap,
)

from .harness import HOSTILE


class StyledTextTests(TestCase):
    """How text becomes cells."""

    def test_hostile(self) -> None:
        """Cells are printable, and exactly as many as asked for, whatever the text."""
        strip = render(Row([(HOSTILE, ""), ("漢字", "title")]), 60)
        text = "".join(segment.text for segment in strip)
        self.assertTrue(text.isprintable())
        self.assertEqual(strip.cell_length, 60)

    def test_align(self) -> None:
        """Text is padded, or cut with an ellipsis; wide characters count two cells."""
        self.assertEqual(align_left("abcdef", 4), "abc…")
        self.assertEqual(align_left("漢字漢", 4), "漢 …")
        self.assertEqual(align_right("7", 3), "  7")

    def test_align_path(self) -> None:
        """Of a long path the end is shown; wide characters are not divided."""
        self.assertEqual(align_path("/usr/lib/libc.so", 8), "…libc.so")
        self.assertEqual(align_path("/漢字", 4), "… 字")
        self.assertEqual(align_path("/漢字漢", 6), "… 字漢")
        self.assertEqual(align_path("/etc", 6), "/etc  ")
        self.assertEqual(align_path("10.0.0.5:5432", 8), "10.0.0.…")
        self.assertEqual(align_path("/etc", 1), "/")

    def test_cut(self) -> None:
        """A line is cut in the span in which the width ends."""
        line = [("▲ ", "failing"), ("blocked", "title"), ("  why", "dim")]
        self.assertEqual(cut_line(line, 14), line)
        self.assertEqual(cut_line(line, 6), [("▲ ", "failing"), ("blo…", "title")])
        self.assertEqual(cut_line(line, 11)[1:], [("blocked", "title"), (" …", "dim")])

    def test_wrap(self) -> None:
        """Lines break between words."""
        self.assertEqual(wrap("one two three", 8), [[("one two", "")], [("three", "")]])

    def test_wrap_units(self) -> None:
        """A unit is on the line of its number."""
        lines = wrap("took 1.5 s of 40 % in 3 parts", 9)
        texts = ["took", "1.5 s of", "40 % in 3", "parts"]
        self.assertEqual([[(text, "")] for text in texts], lines)

    def test_without_colour(self) -> None:
        """Without colours a selection is reversed, also when the filter is applied twice."""
        for style in (SELECTED, without_colour(SELECTED)):
            self.assertEqual(without_colour(style), Style(bold=True, reverse=True))
        self.assertEqual(without_colour(STYLES["failing"]), Style(reverse=False))
