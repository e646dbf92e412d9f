"""Tests of the handling of signals."""

import signal

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app.signals import SignalHandler
from syswatch.model.messages import RunCommand
from syswatch.service.session import Session
from syswatch.service.tracer_process import TracerProcess


class SecondTests(SynchronousTestCase):
    """The first signal is for the command, the second stops tracing."""

    def setUp(self) -> None:
        """Create the handler of a running command."""
        self.clock = Clock()
        job = RunCommand(("true",))
        tracer = TracerProcess(job, Session(self.clock), self.clock)
        self.signals = SignalHandler(job, tracer, lambda _: None)

    def test_one_request(self) -> None:
        """A signal sent twice at once, as timeout(1) does, counts once."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.setUp()
            self.signals.handle(number)
            self.clock.advance(0.01)
            self.signals.handle(number)
            self.assertEqual(0, self.signals.received)
            self.clock.advance(1)
            self.signals.handle(number)
            self.assertEqual(number, self.signals.received)

    def test_at_once(self) -> None:
        """A second Ctrl+C, or another signal, counts however soon it comes."""
        for first, second in (
            (signal.SIGINT, signal.SIGINT),
            (signal.SIGTERM, signal.SIGINT),
            (signal.SIGINT, signal.SIGTERM),
        ):
            self.setUp()
            self.signals.handle(first)
            self.signals.handle(second)
            self.assertEqual(second, self.signals.received)

    def test_quit(self) -> None:
        """Quitting stops tracing without a signal, so the exit status stays 0."""
        self.assertFalse(self.signals.stopped_tracing)
        self.signals.quit()
        self.assertTrue(self.signals.stopped_tracing)
        self.assertEqual(0, self.signals.status(has_begun=False))
