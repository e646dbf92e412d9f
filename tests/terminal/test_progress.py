"""Tests of the progress bar."""

import io
import re
from collections.abc import Sequence

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.ledger import Reading
from syswatch.model.messages import Ended, Started
from syswatch.terminal import progress
from syswatch.terminal.progress import ProgressBar

_CLEAR = "\r\x1b[K"


class ProgressBarTests(SynchronousTestCase):
    """One line that is removed at the end."""

    def setUp(self) -> None:
        """Create a bar with a fake clock and terminal."""
        self.clock, self.out, self.aggregator = Clock(), io.StringIO(), Aggregator()
        self.bar = ProgressBar(self.out, self.clock.seconds)

    def test_short_reading(self) -> None:
        """A log that is read within a second gets no bar."""
        self.clock.advance(0.5)
        self.bar(self.aggregator.snapshot())
        self.aggregator.ended(Ended())
        self.bar(self.aggregator.snapshot())

        self.assertEqual("", self.out.getvalue())

    def test_long_reading(self) -> None:
        """Each line replaces the one before; the last one is removed."""
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
        """In the background nothing is drawn and nothing removed: the terminal is the shell's."""
        can_draw = True
        self.patch(progress, "can_draw", lambda _out: can_draw)
        self.clock.advance(1)
        self.bar(self.aggregator.snapshot())
        before = self.out.getvalue()
        can_draw = False
        self.clock.advance(1)
        self.bar(self.aggregator.snapshot())
        self.bar.clear()

        self.assertEqual(before, self.out.getvalue())

    def test_clear_twice(self) -> None:
        """A bar that was removed is not removed again."""
        self.clock.advance(1)
        self.bar(self.aggregator.snapshot())
        self.bar.clear()
        before = self.out.getvalue()
        self.bar.clear()

        self.assertEqual(before, self.out.getvalue())

    def assert_left(self, reports: Sequence[tuple[float, int]], total: int) -> None:
        """Replay progress reports; from 10 % on, the time left must be right."""
        self.aggregator.started(Started("strace log", total_bytes=total))
        end_s, _ = reports[-1]
        before = 0
        for at_s, read in reports[:-1]:
            self.clock.advance(at_s - self.clock.seconds())
            self.aggregator.add(Delta(reading=Reading(bytes=read - before)))
            before = read
            self.bar(self.aggregator.snapshot())
            if read >= total / 10:
                found = re.search(r"(\d+)s left", self.out.getvalue().rpartition(_CLEAR)[2])
                left_s = end_s - at_s
                # The displayed seconds are rounded.
                error_s = abs(left_s - int(found[1])) if found else left_s
                self.assertLessEqual(error_s, 0.25 * left_s + 0.5, at_s)

    def test_time_left(self) -> None:
        """The time left is right, however late the first bytes are read."""
        start_s, lateness_s, rate, total = 0.6, 0.3, 100_000, 1_000_000
        ticks = [0.25 * tick for tick in range(44)]
        late = [max(0, int(rate * (at_s - start_s - lateness_s))) for at_s in ticks]
        self.assert_left([*zip(ticks, late, strict=True), (10.9, total)], total)

    def test_steps(self) -> None:
        """The time left is right when reports come in large steps, as measured on a 1 GB log."""
        steps = [0, 17, 17, 84, 84, 151, 218, 218, 285, 285, 352, 352, 419, 419, 487, 487, 554]
        steps += [554, 621, 688, 688, 755, 755, 822, 822, 889, 889, 956]
        reports = [(0.6 + 0.25 * tick, step) for tick, step in enumerate(steps)]
        self.assert_left([*reports, (7.4, 993)], 993)

    def test_stalled(self) -> None:
        """When the reading stalls, no time left is shown."""
        self.aggregator.started(Started("strace log", total_bytes=1000))
        for _ in range(5):
            self.clock.advance(1)
            self.aggregator.add(Delta(reading=Reading(bytes=100)))
            self.bar(self.aggregator.snapshot())
        self.assertIn("5s left", self.out.getvalue())
        self.clock.advance(6)
        self.bar(self.aggregator.snapshot())
        self.assertNotIn("left", self.out.getvalue().rpartition(_CLEAR)[2])
