"""Tests of how often sums are sent."""

import tempfile
from collections.abc import Iterator

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.tracer.inputs.sink import SEND_INTERVAL_S, Sink
from syswatch.tracer.outbox import Outbox


class IntervalTests(SynchronousTestCase):
    """The time between two deltas."""

    def next_interval(self, spent_s: float) -> float:
        """Return the time until sums are due again, after some were taken and sent."""
        with tempfile.TemporaryFile() as pipe:
            times: Iterator[float] = iter((100.0, 100.0, 100.0 + spent_s))
            sink = Sink(Outbox(pipe.fileno()), bool, "", lambda: next(times))
            self.assertTrue(sink.is_due())
            sink.add(Delta())
            sink.send_if_due()
        at = 100.0 + spent_s
        while True:
            at += SEND_INTERVAL_S / 10
            times = iter((at,))
            if sink.is_due():
                return at - 100.0 - spent_s

    def test_idle(self) -> None:
        """If sending takes little time, sums are sent four times a second."""
        self.assertAlmostEqual(SEND_INTERVAL_S, self.next_interval(0.001))

    def test_busy(self) -> None:
        """If it takes longer, they are sent less often, but every second."""
        self.assertAlmostEqual(0.5, self.next_interval(0.05))
        self.assertAlmostEqual(1.0, self.next_interval(3.0))
