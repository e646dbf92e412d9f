"""Tests that a worker process need not wait for the process that receives its results."""

import multiprocessing
from multiprocessing.connection import Connection
from threading import Thread

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta, Span
from syswatch.tracer.inputs import part_sender
from syswatch.tracer.inputs.part_sender import PartSender

_TIMEOUT_S = 30


class PartSenderTests(SynchronousTestCase):
    """Results that are received late, or never."""

    def setUp(self) -> None:
        """Create a pipe."""
        receiver, sender = multiprocessing.Pipe(duplex=False)
        self.receiver: Connection = receiver
        self.sender = PartSender(sender)
        self.addCleanup(sender.close)

    def test_late(self) -> None:
        """Results that exceed the pipe can be sent before any is received, and keep their order."""
        results = [bytes([number]) * 3_000_000 for number in range(4)]
        for result in results:
            self.sender.send(result)

        self.assertEqual(results, [self._received() for _ in results])
        self.sender.close()

    def test_delta(self) -> None:
        """A delta arrives as it was, inside of other objects."""
        key = ActivityKey(7, 7, 5, "read")
        delta = Delta(activity={key: Sums(count=3, bytes_in=4096)}, span=Span(1, 2))
        self.sender.send(([delta], 17))

        self.assertEqual(([delta], 17), self._received())
        self.sender.close()

    def test_limit(self) -> None:
        """Results are kept up to a limit; then sending waits until one has been received."""
        self.patch(part_sender, "_MOST_WAITING", 0)
        self.sender.send(b"x" * 3_000_000)
        later = Thread(target=self.sender.send, args=(b"next",))
        later.start()
        later.join(0.05)
        self.assertTrue(later.is_alive())

        self.assertEqual(b"x" * 3_000_000, self._received())
        self.assertEqual(b"next", self._received())
        later.join(_TIMEOUT_S)
        self.assertFalse(later.is_alive())

    def test_closed(self) -> None:
        """Sending to a closed pipe raises an error, also if it waits for the limit."""
        self.patch(part_sender, "_MOST_WAITING", 0)
        self.sender.send(b"x" * 3_000_000)
        self.receiver.close()

        self.assertRaises(BrokenPipeError, self.sender.send, b"next")
        self.sender.close()

    def _received(self) -> object:
        self.assertTrue(self.receiver.poll(_TIMEOUT_S))
        return self.receiver.recv()
