"""Tests of the results of a run."""

import signal

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import results
from syswatch.app.signals import SignalHandler
from syswatch.service.session import Outcome, Session
from syswatch.service.tracer_process import TracerProcess
from tests.options.parsing import config_of


class InterruptedTests(SynchronousTestCase):
    """SIGTERM to the whole process group, which also ends the tracer."""

    def test_before_tracing(self) -> None:
        """Before tracing has begun, the end of the tracer is no failure."""
        self.assertEqual(["interrupted before tracing started"], self.messages(signal.SIGTERM))

    def test_uninterrupted(self) -> None:
        """Without an interrupt, a tracer that was killed is a failure."""
        self.assertEqual(["the tracer process was killed"], self.messages(0))

    def messages(self, received: int) -> list[str]:
        """Return what is printed if the tracer is killed before tracing has begun."""
        config = config_of("attach", "--tui", "never", "1")
        clock = Clock()
        messages: list[str] = []
        self.patch(results, "announce", messages.append)
        session = Session(clock)
        tracer = TracerProcess(config.job, session, clock)
        signals = SignalHandler(config.job, tracer, lambda _: None)
        signals.received = received
        outcome = Outcome(None, "the tracer process was killed", 1)
        self.assertEqual(1, results.write_results(config, session.snapshot, outcome, signals))
        return messages
