"""Tests of the handling of signals."""

import signal
from functools import partial

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import signals as handling
from syswatch.app.signals import SignalHandler
from syswatch.model.messages import Attach, Ended, RunCommand
from syswatch.service.session import Session
from syswatch.service.tracer_process import TracerProcess


class SecondTests(SynchronousTestCase):
    """The first signal is for the command, the second stops tracing."""

    def setUp(self) -> None:
        """Create the handler of a running command."""
        self.clock = Clock()
        job = RunCommand(("true",))
        self.tracer = TracerProcess(job, Session(self.clock), self.clock)
        self.signals = SignalHandler(job, self.tracer, lambda _: None)

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

    def told(self, *numbers: int, passed_s: float = 10) -> list[str]:
        """Return what is announced some time after these signals."""
        told: list[str] = []
        self.patch(handling, "announce", told.append)
        for number in numbers:
            self.signals.handle(number)
        self.clock.advance(passed_s)
        return told

    def test_ignored_interrupt(self) -> None:
        """A user whose Ctrl+C does not end the command learns how to stop tracing."""
        [told] = self.told(signal.SIGINT)
        self.assertIn("still running after SIGINT; press Ctrl+C again", told)

    def test_nothing_to_tell(self) -> None:
        """Nothing is printed for another signal, a second one, a quick end, or in the UI."""
        self.assertEqual([], self.told(signal.SIGTERM))
        self.setUp()
        self.assertEqual([], self.told(signal.SIGINT, signal.SIGINT))
        self.setUp()
        self.assertEqual([], self.told(signal.SIGINT, passed_s=1))
        self.tracer.session.receive(Ended(exit_code=0))
        self.assertEqual([], self.told(passed_s=10))
        self.setUp()
        self.tracer.without_terminal = True
        self.assertEqual([], self.told(signal.SIGINT))

    def test_dump(self) -> None:
        """Ctrl+backslash is for the command, however often, and stops nothing."""
        delivered: list[int] = []
        self.patch(self.tracer, "deliver", delivered.append)
        for in_foreground in (True, False, False):
            self.signals.terminal_signals_command = partial(bool, in_foreground)
            self.signals.handle(signal.SIGQUIT)

        self.assertEqual([signal.SIGQUIT] * 2, delivered)
        self.assertEqual((0, 0), (self.signals.forwarded, self.signals.received))

    def test_dump_of_attached(self) -> None:
        """It stops tracing processes that were attached to."""
        signals = SignalHandler(Attach((5,)), self.tracer, lambda _: None)
        signals.handle(signal.SIGQUIT)

        self.assertEqual(signal.SIGQUIT, signals.received)

    def test_quit(self) -> None:
        """Quitting stops tracing without a signal, so the exit status stays 0."""
        self.assertFalse(self.signals.stopped_tracing)
        self.signals.quit()
        self.assertTrue(self.signals.stopped_tracing)
        self.assertEqual(0, self.signals.status(has_begun=False))
