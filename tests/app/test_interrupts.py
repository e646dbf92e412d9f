"""Tests of what signals to us mean."""

import signal

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app.interrupts import Interrupts
from syswatch.model.messages import RunCommand
from syswatch.service.session import Session
from syswatch.service.tracer_process import TracerProcess


class SecondTests(SynchronousTestCase):
    """The first is for the command, the second for us."""

    def setUp(self) -> None:
        """Have a command that runs."""
        self.clock = Clock()
        job = RunCommand(("true",))
        tracer = TracerProcess(job, Session(self.clock), self.clock)
        self.interrupts = Interrupts(job, tracer, lambda _: None)

    def test_one_request(self) -> None:
        """One that is told twice, as timeout(1) does it, is not two."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.setUp()
            self.interrupts.take(number)
            self.clock.advance(0.01)
            self.interrupts.take(number)
            self.assertEqual(0, self.interrupts.received)
            self.clock.advance(1)
            self.interrupts.take(number)
            self.assertEqual(number, self.interrupts.received)

    def test_at_once(self) -> None:
        """A second Ctrl+C, or another signal, is heard however soon it comes."""
        for first, second in (
            (signal.SIGINT, signal.SIGINT),
            (signal.SIGTERM, signal.SIGINT),
            (signal.SIGINT, signal.SIGTERM),
        ):
            self.setUp()
            self.interrupts.take(first)
            self.interrupts.take(second)
            self.assertEqual(second, self.interrupts.received)
