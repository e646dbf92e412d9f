"""Tests of the progress bar."""

import io
import re

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Started
from syswatch.model.reading import Reading
from syswatch.terminal import progress
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

    def test_background(self) -> None:
        """Nothing is drawn over the shell, nor taken away, while the terminal is the shell's."""
        may_draw = True
        self.patch(progress, "may_draw", lambda _out: may_draw)
        self.clock.advance(1)
        self.bar(self.aggregator.snapshot())
        before = self.out.getvalue()
        may_draw = False
        self.clock.advance(1)
        self.bar(self.aggregator.snapshot())
        self.bar.clear()

        self.assertEqual(before, self.out.getvalue())

    def test_clear_twice(self) -> None:
        """What is gone is not taken away again."""
        self.clock.advance(1)
        self.bar(self.aggregator.snapshot())
        self.bar.clear()
        before = self.out.getvalue()
        self.bar.clear()

        self.assertEqual(before, self.out.getvalue())

    def test_time_left(self) -> None:
        """After a tenth of the work, the time left is right, however late the first bytes came."""
        total, rate, start_s, lateness_s = 1_000_000, 100_000, 0.6, 0.3
        self.aggregator.started(Started("strace log", total_bytes=total))
        read = 0
        while read < total // 10:
            self.bar(self.aggregator.snapshot())
            self.clock.advance(0.25)
            sent = max(0, int(rate * (self.clock.seconds() - start_s - lateness_s)))
            self.aggregator.add(Delta(reading=Reading(bytes=sent - read)))
            read = sent
        self.bar(self.aggregator.snapshot())

        left = re.search(r"(\d+)s left", self.out.getvalue().rpartition(_CLEAR)[2])
        assert left is not None
        self.assertLess(abs((total - read) / rate - int(left[1])), 1)
