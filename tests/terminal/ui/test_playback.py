"""Tests of the range of a recording that the terminal UI shows."""

from twisted.trial.unittest import TestCase

from syswatch.model.delta import Span
from syswatch.terminal.ui.playback import Playback
from syswatch.terminal.ui.replay_line import replay_line
from syswatch.terminal.ui.styled_text import cell_width
from syswatch.views.budget.period import Period

_MS = 1_000_000
_FIRST = 1_700_000_000_000


def playback(seconds: float = 20) -> Playback:
    """Return a recording of a length; the last millisecond of its span is a part of it."""
    found = Playback()
    found.extend(Span(_FIRST * _MS, (_FIRST + int(seconds * 1000) - 1) * _MS))
    return found


def shown(found: Playback) -> tuple[int, int]:
    """Return the range, counted from the beginning of the recording."""
    begin, end = found.shown
    return begin - _FIRST, end - _FIRST


class RangeTests(TestCase):
    """Moving a range, and changing its length."""

    def test_whole(self) -> None:
        """At first, and after zooming out, it is the whole, which needs no range."""
        found = playback()
        self.assertEqual((None, (0, 20_000)), (found.range, shown(found)))
        self.assertFalse(found.period)
        found.resize(0.5)
        self.assertEqual((10_000, 20_000), shown(found))
        self.assertEqual(Period(_FIRST + 10_000, _FIRST + 20_000), found.period)
        found.resize(2)
        self.assertIsNone(found.range)

    def test_move(self) -> None:
        """It keeps its length and stays inside."""
        found = playback()
        found.move(1)
        self.assertEqual((1000, 2000), shown(found))
        found.move(0.1)
        self.assertEqual((1100, 2100), shown(found))
        found.move(-5)
        self.assertEqual((0, 1000), shown(found))
        found.move(99)
        self.assertEqual((19_000, 20_000), shown(found))

    def test_shortest(self) -> None:
        """A millisecond is the shortest range, and the shortest step."""
        found = playback()
        for _ in range(30):
            found.resize(0.5)
        self.assertEqual((19_999, 20_000), shown(found))
        found.move(-0.1)
        self.assertEqual((19_998, 19_999), shown(found))
        self.assertEqual((0, 1), shown(playback(0.001)))

    def test_extended(self) -> None:
        """While a recording is read, the range stays as it is."""
        found = playback()
        found.resize(0.5)
        found.extend(Span(_FIRST * _MS, (_FIRST + 39_999) * _MS))
        self.assertEqual((10_000, 20_000), shown(found))
        found.move(2)
        self.assertEqual((30_000, 40_000), shown(found))


class PlayTests(TestCase):
    """Playing."""

    def test_play(self) -> None:
        """The range moves with the clock, stops at the end, and begins again after that."""
        found = playback()
        found.toggle(100)
        self.assertEqual((0, 1000), shown(found))
        found.advance(100.0004)
        self.assertEqual((0, 1000), shown(found))
        found.advance(101.5)
        self.assertEqual((1500, 2500), shown(found))
        found.advance(500)
        # Of a long pause, not all is skipped.
        self.assertEqual((6500, 7500), shown(found))
        for at in (505, 510, 515):
            found.advance(at)
        self.assertEqual((19_000, 20_000), shown(found))
        self.assertFalse(found.is_playing)
        found.toggle(600)
        self.assertEqual((0, 1000), shown(found))
        found.toggle(601)
        self.assertFalse(found.is_playing)

    def test_speed(self) -> None:
        """The speed has limits; a long recording is played in a minute."""
        found = playback()
        self.assertEqual("1\u00d7", found.speed)
        for step, speed in ((-1, "0.1\u00d7"), (-1, "0.1\u00d7"), (2, "10\u00d7")):
            found.change_speed(step)
            self.assertEqual(speed, found.speed)
        long = playback(3600)
        self.assertEqual("all in 1 min", long.speed)
        long.toggle(0)
        long.advance(1)
        self.assertEqual(60_000, shown(long)[0])


class LineTests(TestCase):
    """The line that tells what is shown."""

    def line(self, found: Playback, width: int) -> str:
        """Return the line as text."""
        line = replay_line(found, width, is_reading=False)
        self.assertLessEqual(cell_width(line), width)
        return "".join(text for text, _ in line)

    def test_line(self) -> None:
        """It has the length, the times and where the range is; little space is for the length."""
        found = playback()
        self.assertIn("recording  all 20s  20", self.line(found, 100))
        found.resize(0.25)
        line = self.line(found, 100)
        self.assertRegex(line, r"^recording  5 s of 20s  2023-11-1\d \d\d:\d\d:35.000 – ")
        self.assertRegex(line, "  ░+█+$")
        self.assertEqual("recording  5 s of 20s", self.line(found, 30))
        found.toggle(0)
        self.assertTrue(self.line(found, 60).startswith("playing 1\u00d7  5 s of 20s"))

    def test_place(self) -> None:
        """However short it is, the range has a cell, and the picture always has the same width."""
        found = playback(1000)
        found.move(1)
        for _ in range(20):
            found.move(1)
            line = self.line(found, 90)
            self.assertEqual(90, len(line))
            self.assertGreaterEqual(line.count("█"), 1)
