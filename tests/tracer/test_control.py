"""Tests of the clock of a tracer."""

import os
import signal
import time
from collections.abc import Callable

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Deliver
from syswatch.model.times import SECOND_NS
from syswatch.tracer.control import FIRST_NS, FLUSH_NS, Control


class ClockTests(SynchronousTestCase):
    """When the loop is woken up."""

    def setUp(self) -> None:
        """Keep the handlers of the test runner."""
        for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def _control(self) -> Control:
        read_end, write_end = os.pipe()
        for descriptor in (read_end, write_end):
            self.addCleanup(os.close, descriptor)
        control = Control(read_end)
        self.addCleanup(control.stop)
        return control

    def _first_tick(self) -> Callable[[int, None], None]:
        handler = signal.getsignal(signal.SIGALRM)
        assert callable(handler)
        return handler

    def test_first_tick(self) -> None:
        """The first tick comes early, all others when flushes are due."""
        control = self._control()
        control.start()
        rest_s, interval_s = signal.getitimer(signal.ITIMER_REAL)
        self.assertLessEqual(rest_s, FIRST_NS / 1e9)
        self.assertEqual(0, interval_s)
        self._first_tick()(signal.SIGALRM, None)
        rest_s, interval_s = signal.getitimer(signal.ITIMER_REAL)
        self.assertLessEqual(rest_s, FLUSH_NS / 1e9)
        self.assertAlmostEqual(FLUSH_NS / 1e9, interval_s, 3)

    def test_waits_until_it_listens(self) -> None:
        """Only a tracer that listens does not wait for messages."""
        control = self._control()
        self.assertTrue(os.get_blocking(control.fd))
        control.listen()
        self.assertFalse(os.get_blocking(control.fd))
        self.assertEqual([], list(control.messages()))

    def test_signal_to_the_tracer(self) -> None:
        """A signal that the service does not pass on was meant for the tracer, which stops."""
        now_ns = [SECOND_NS]
        self.patch(time, "monotonic_ns", lambda: now_ns[0])
        for is_detaching, stopped_by in ((False, signal.SIGTERM), (True, 0)):
            control = self._control()
            control.listen()
            os.kill(os.getpid(), signal.SIGTERM)
            self.assertEqual([], list(control.messages()))
            self.assertFalse(control.must_stop)
            # The service may have sent a message because of a signal to both.
            control.must_stop = is_detaching
            now_ns[0] += SECOND_NS
            self.assertEqual([], list(control.messages()))
            self.assertTrue(control.must_stop)
            self.assertEqual(stopped_by, control.stopped_by)

    def test_coincides(self) -> None:
        """A signal to the group is recognized by when it arrived, however late that is asked."""
        now_ns = [SECOND_NS]
        self.patch(time, "monotonic_ns", lambda: now_ns[0])
        control = self._control()
        control.listen()
        os.kill(os.getpid(), signal.SIGINT)
        message = Deliver(signal.SIGINT, now_ns[0])
        now_ns[0] += 5 * SECOND_NS
        self.assertTrue(control.coincides(message.signal, message.received_ns))
        self.assertFalse(control.coincides(signal.SIGTERM, message.received_ns))
        later = Deliver(signal.SIGINT, now_ns[0])
        self.assertFalse(control.coincides(later.signal, later.received_ns))
