"""Tests of the sending end of the pipe."""

import os
import threading

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Decoder, Message
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.entries import LOG_ENTRIES, LogEntry
from syswatch.model.messages import Ended, Started
from syswatch.tracer.outbox import Outbox


def some(count: int = 1, size: int = 0) -> Delta:
    """Return a delta with some calls and a log of some size."""
    paths = {"x" * size: 1} if size else {}
    return Delta(calls={"read": CallTally(count=count)}, paths=paths)


class OutboxTests(SynchronousTestCase):
    """Sending through a pipe that may be full."""

    def setUp(self) -> None:
        """Create the pipe."""
        self.read_end, write_end = os.pipe()
        self.addCleanup(os.close, self.read_end)
        self.write_end = write_end
        self.outbox = Outbox(write_end)
        self.decoder = Decoder()

    def receive(self) -> list[Message]:
        """Read what is available."""
        self.decoder.receive_data(os.read(self.read_end, 1 << 20))
        return list(self.decoder.events())

    def finish(self) -> list[Message]:
        """Send the last message from a thread, and return all that the pipe had."""
        sending = threading.Thread(target=self._send_end)
        sending.start()
        received = []
        while data := os.read(self.read_end, 1 << 16):
            self.decoder.receive_data(data)
            received += list(self.decoder.events())
        sending.join()
        return received

    def test_at_once(self) -> None:
        """While the pipe has space, everything is sent immediately."""
        self.addCleanup(os.close, self.write_end)
        self.outbox.send(Started("test"))
        self.outbox.offer(some(3))

        self.assertEqual([Started("test"), some(3)], self.receive())

    def test_large_delta(self) -> None:
        """A delta with all its log entries is sent at once, not together with later ones."""
        self.addCleanup(os.close, self.write_end)
        entry = LogEntry(1, 2, "read", "x" * 1500, "3", "")
        delta = Delta(log=(entry,) * LOG_ENTRIES)
        self.outbox.offer(delta)

        self.assertEqual([delta], self.receive())

    def test_full_pipe(self) -> None:
        """With a full pipe, deltas are added up and nothing is lost."""
        for _ in range(1000):
            self.outbox.offer(some(2, 10_000))
        received = _deltas(self.finish())

        self.assertEqual(2000, sum(delta.calls["read"].count for delta in received))
        self.assertLess(len(received), 200)

    def test_backlog(self) -> None:
        """A delayed delta is marked as such."""
        for _ in range(1000):
            self.outbox.offer(some(2, 10_000))
        received = _deltas(self.finish())

        self.assertEqual(0, received[0].backlog)
        self.assertLess(0, received[-1].backlog)
        self.assertLessEqual(received[-1].backlog, received[-1].calls["read"].count)

    def test_rest(self) -> None:
        """What did not fit into the pipe is written when there is room, without another delta."""
        self.addCleanup(os.close, self.write_end)
        large = some(1, size=5 << 20)
        self.outbox.offer(large)
        self.outbox.offer(some(2))
        received = self.receive()
        while self.outbox.is_behind:
            self.outbox.push()
            received += self.receive()

        self.assertEqual([large, 2], [received[0], _deltas(received)[1].calls["read"].count])

    def test_finish_waits(self) -> None:
        """The last message comes last, however slow the reader is."""
        self.outbox.offer(some(1, 500_000))
        self.outbox.offer(some(2))
        received = self.finish()

        self.assertEqual(Ended(0), received[-1])
        self.assertEqual(3, sum(delta.calls["read"].count for delta in _deltas(received)))

    def test_impossible(self) -> None:
        """A delta that cannot be encoded is an error, and is not in the way of the last message."""
        self.assertRaises(OverflowError, self.outbox.offer, some(1 << 64))
        self.assertEqual([Ended(exit_code=0)], self.finish())

    def test_closed(self) -> None:
        """A closed reading end is a BrokenPipeError."""
        read_end, write_end = os.pipe()
        outbox = Outbox(write_end)
        os.close(read_end)
        self.addCleanup(os.close, write_end)

        self.assertRaises(BrokenPipeError, outbox.offer, some())

    def _send_end(self) -> None:
        self.outbox.finish(Ended(0))
        os.close(self.write_end)


def _deltas(messages: list[Message]) -> list[Delta]:
    return [message for message in messages if isinstance(message, Delta)]
