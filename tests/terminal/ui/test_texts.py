"""Pieces, columns and the output of a command, without a screen."""

import os

import attrs
from rich.style import Style
from twisted.trial.unittest import TestCase

from syswatch.terminal.suitable import may_be_wanted, obstacle
from syswatch.terminal.ui.columns import BY_NAME, COLUMNS, USUAL
from syswatch.terminal.ui.driver import encoded
from syswatch.terminal.ui.head import header, shortened
from syswatch.terminal.ui.late import Late
from syswatch.terminal.ui.layout import Layout
from syswatch.terminal.ui.output import Output
from syswatch.terminal.ui.pieces import INK, SELECTED, Row, left, right, strip, wrapped
from syswatch.terminal.ui.plain import plain
from syswatch.terminal.ui.shell import report_name
from syswatch.views.activity import sparkline

from .scenes import BUSY, HOSTILE, snapshot_of


class PieceTests(TestCase):
    """How texts become cells."""

    def test_inert(self) -> None:
        """Whatever a piece says, its cells are printable, and exactly as many as asked for."""
        drawn = strip(Row([(HOSTILE, ""), ("漢字", "title")]), 60)
        text = "".join(segment.text for segment in drawn)
        self.assertTrue(text.isprintable())
        self.assertEqual(drawn.cell_length, 60)

    def test_fits(self) -> None:
        """Texts are cut with an ellipsis, wide ones by their cells."""
        self.assertEqual(left("abcdef", 4), "abc…")
        self.assertEqual(left("漢字漢", 4), "漢 …")
        self.assertEqual(right("7", 3), "  7")

    def test_plain(self) -> None:
        """Without colours what is selected is seen all the same, also below a question."""
        for style in (SELECTED, plain(SELECTED)):
            self.assertEqual(plain(style), Style(bold=True, reverse=True))
        self.assertEqual(plain(INK["failing"]), Style(reverse=False))

    def test_made_late(self) -> None:
        """Of many things, only those are made that are looked at."""
        made: list[int] = []

        def make(number: int) -> str:
            made.append(number)
            return str(number)

        texts = Late(range(1000), make)
        self.assertEqual((texts[3:5], texts[-1]), (["3", "4"], "999"))
        self.assertEqual((len(texts), made), (1000, [3, 4, 999]))

    def test_wraps(self) -> None:
        """Lines break between words."""
        self.assertEqual(wrapped("one two three", 8), [[("one two", "")], [("three", "")]])

    def test_only(self) -> None:
        """What leaves calls out is said beside the backend, as far as there is room."""
        snapshot = snapshot_of()
        source = attrs.evolve(snapshot.source, only="-e " + "read," * 10)
        line, _ = header(attrs.evolve(snapshot, source=source), 160, frozen=False)
        words = "".join(text for text, _ in line)
        self.assertIn("ptrace, only -e read,read,read,read,…  ", words)

    def test_narrow(self) -> None:
        """Where there is little room the header leaves out whole words, the least of them first."""
        lines = header(snapshot_of(BUSY), 44, frozen=True)
        subject, figures = ("".join(text for text, _ in line) for line in lines)
        self.assertIn("FROZEN", subject)
        self.assertNotIn("syswatch", subject)
        self.assertIn("errors", figures)
        self.assertLessEqual(max(map(len, (subject, figures))), 44)

    def test_cut(self) -> None:
        """What stands out fits the width, and shows where more of it would be."""
        long = [("▲ ", "failing"), ("x" * 90, "dim")]
        (line,) = shortened([long], 2, 80)
        self.assertEqual("▲ " + "x" * 77 + "…", "".join(text for text, _ in line))
        self.assertEqual([long], shortened([long], 2, 92))
        self.assertIn("and 2 more", shortened([long] * 3, 2, 80)[1][0][0])

    def test_layouts_fit(self) -> None:
        """No layout is wider than its window, and what is sorted by is in it."""
        for width in range(40, 200, 7):
            for column in COLUMNS:
                layout = Layout.fitted(width, column.name)
                self.assertLessEqual(sum(cells + 1 for _, cells in layout.columns), width)
                self.assertIn(column, [each for each, _ in layout.columns])

    def test_chosen_columns(self) -> None:
        """Only what is wanted is there, and what is usually not comes before the rest."""
        wanted = USUAL - {"calls", "category"} | {"min"}
        for width in (40, 80, 200):
            shown = {column.name for column, _ in Layout.fitted(width, "p99", wanted).columns}
            self.assertLessEqual(shown, wanted)
            self.assertLessEqual({"name", "p99", "min"}, shown)

    def test_air(self) -> None:
        """Where there is room, numbers with units stand apart from one another."""
        narrow, wide = (dict(Layout.fitted(width, "calls").columns) for width in (80, 160))
        for column in (BY_NAME["total"], BY_NAME["average"]):
            self.assertEqual(column.width + 2, wide[column])
        self.assertEqual(BY_NAME["average"].width, narrow[BY_NAME["average"]])

    def test_sparkline(self) -> None:
        """The largest value is a full block; nothing at all is a flat line."""
        self.assertEqual(sparkline([0, 4, 8]), "▁▅█")
        self.assertEqual(sparkline([0, 0]), "▁▁")

    def test_encodings(self) -> None:
        """An encoding without blocks gets plain signs, as many."""
        self.assertEqual(encoded("▁█ µs · ↵ ← →", "ascii"), b"_# us . < < >")
        self.assertEqual(encoded("▁", "utf-8"), "▁".encode())

    def test_report_name(self) -> None:
        """A report's name is one plain file name, whatever the program calls itself."""
        self.assertEqual(report_name(snapshot_of(comm="../a b"), "1"), "syswatch-ab-1.html")


class OutputTests(TestCase):
    """What a command writes."""

    def printed(self, output: Output) -> bytes:
        """Print an output into a pipe and read it."""
        out, into = os.pipe()
        output.print_to(into)
        os.close(into)
        with open(out, "rb") as pipe:  # noqa: PTH123  a descriptor
            return pipe.read()

    def test_printed_as_written(self) -> None:
        """What is printed is every byte that was written."""
        output = Output()
        for data in (b"one\ntw", b"o\x1b[31m\n", b"\xffrest"):
            output.add(data)
        self.assertEqual(self.printed(output), b"one\ntwo\x1b[31m\n\xffrest")

    def test_shown_without_colours(self) -> None:
        """Lines are shown however they were cut, without colours and what was written over."""
        output = Output()
        for data in (b"on", b"e\n\x1b[1;31mred\x1b[m\n10%\r20%\r", b"\nrest"):
            output.add(data)
        self.assertEqual(list(output.lines()), ["one", "red", "20%", "rest"])

    def test_bounded(self) -> None:
        """What has no room is counted."""
        output = Output(most_bytes=5)
        output.add(b"123")
        output.add(b"4567")
        self.assertEqual((self.printed(output), output.dropped), (b"12345", 2))


class SuitableTests(TestCase):
    """Where the terminal UI can be shown."""

    def test_obstacles(self) -> None:
        """The first thing in the way is named."""
        with open(os.devnull) as nothing:  # noqa: PTH123  it is no file
            self.assertEqual(obstacle(nothing, nothing, {}), "standard input is no terminal")

    def test_guess(self) -> None:
        """Who asks for a server is not shown a screen; what a command is asked for is its own."""
        self.assertFalse(may_be_wanted(["run", "--serve=:8080", "true"]))
        self.assertTrue(may_be_wanted(["run", "--", "true", "--serve"]))
