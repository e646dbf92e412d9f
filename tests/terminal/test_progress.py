"""Tests of the progress bar."""

import io

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.aggregator import Aggregator
from syswatch.model.messages import Ended
from syswatch.terminal.progress import ProgressBar

_CLEAR = "\r\x1b[K"


class ProgressBarTests(SynchronousTestCase):
    """One line that is gone in the end."""

    def setUp(self) -> None:
        """Have a bar on a terminal of our own."""
        self.clock, self.out, self.aggregator = Clock(), io.StringIO(), Aggregator()
        self.bar = ProgressBar(self.out, self.clock.seconds)

    def test_short_reading(self) -> None:
        """What takes no second needs no bar."""
        self.clock.advance(0.5)
        self.bar(self.aggregator.snapshot())
        self.aggregator.ended(Ended())
        self.bar(self.aggregator.snapshot())

        self.assertEqual("", self.out.getvalue())

    def test_long_reading(self) -> None:
        """A line is drawn over the one before, and taken away in the end."""
        for _ in range(2):
            self.clock.advance(1)
            self.bar(self.aggregator.snapshot())
        self.aggregator.ended(Ended())
        self.bar(self.aggregator.snapshot())

        self.assertEqual(
            [_CLEAR, "0 lines  0 B/s", _CLEAR, "0 lines  0 B/s", _CLEAR, ""],
            [part for line in self.out.getvalue().split(_CLEAR)[1:] for part in (_CLEAR, line)],
        )

    def test_clear_twice(self) -> None:
        """What is gone is not taken away again."""
        self.clock.advance(1)
        self.bar(self.aggregator.snapshot())
        self.bar.clear()
        before = self.out.getvalue()
        self.bar.clear()

        self.assertEqual(before, self.out.getvalue())
