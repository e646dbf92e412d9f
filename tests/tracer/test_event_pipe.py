"""Tests of the pipe to the recorder."""

import os
from threading import Thread

from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import EventDecoder, Kind, Life, Loss, Text, encode
from syswatch.codec.events import EVENT, UNFINISHED_NS, Flag
from syswatch.codec.log_calls import LogCall, LogCalls
from syswatch.tracer import event_pipe
from syswatch.tracer.event_pipe import EventPipe, losses_of


def event(tid: int, start_ns: int, duration_ns: int = 0, flags: int = 0) -> bytes:
    """Return an event of getppid."""
    arguments = (0,) * 6
    return EVENT.pack(
        start_ns, duration_ns, 0, 0, 0, 1, 0, *arguments, tid, tid, 110, 0, flags, 0, 0
    )


class EventPipeTests(TestCase):
    """What reaches the other end."""

    def setUp(self) -> None:
        """Open a pipe."""
        self.reading, writing = os.pipe()
        self.pipe = EventPipe(writing)
        self.addCleanup(self.close)

    def close(self) -> None:
        """Close the reading end, unless a test has done so."""
        if self.reading >= 0:
            os.close(self.reading)
            self.reading = -1

    def received(self) -> list[object]:
        """Read until the pipe is closed."""
        decoder = EventDecoder()
        found: list[object] = []
        while data := os.read(self.reading, 1 << 20):
            decoder.receive_data(data)
            found += decoder.frames()
        self.assertEqual(0, decoder.pending)
        return found

    def test_order(self) -> None:
        """Records precede the events that were sent after them; the last ones are sent, too."""
        life = Life(7, 1, 2, "dd", "dd bs=1")
        self.pipe.add_text(Text(7, 5, "", "1"))
        self.pipe.add_life(life)
        self.pipe.send(event(7, 5))
        self.pipe.add_losses([Loss(7, 0, 2), Loss(7, 0, 3)])
        self.pipe.finish()
        expected = [[life], [Text(7, 5, "", "1")], event(7, 5), [Loss(7, 0, 5)]]
        self.assertEqual(expected, self.received())

    def test_full(self) -> None:
        """What the recorder does not take in time is dropped and counted; the rest arrives."""
        self.patch(event_pipe, "_MOST_UNSENT", 4 << 20)
        events = b"".join(event(7, number) for number in range(8192))
        for _ in range(12):
            self.pipe.send(events)
        self.assertTrue(self.pipe.is_behind)
        os.set_blocking(self.reading, False)
        decoder = EventDecoder()
        found: list[object] = []
        while self.pipe.is_behind:
            decoder.receive_data(os.read(self.reading, 1 << 16))
            found += decoder.frames()
            self.pipe.push()
        os.set_blocking(self.reading, True)
        self.pipe.finish()
        decoder.receive_data(b"".join(iter(lambda: os.read(self.reading, 1 << 20), b"")))
        found += decoder.frames()
        self.assertEqual(0, decoder.pending)
        arrived = sum(len(each) // EVENT.size for each in found if isinstance(each, bytes))
        lost = [each for each in found if isinstance(each, list)]
        self.assertEqual(12 * 8192, arrived + sum(loss.calls for (loss,) in lost))
        self.assertGreater(arrived, 2 * 8192)
        self.assertTrue(lost)

    def test_texts_of_lost_calls(self) -> None:
        """The texts of calls that are dropped are dropped with them."""
        self.patch(event_pipe, "_MOST_UNSENT", 1024)
        self.pipe.add_text(Text(7, 5, "lost", "1"))
        self.pipe.send(event(7, 5) * 9)
        self.pipe.add_text(Text(7, 6, "kept", "1"))
        self.pipe.send(event(7, 6))
        self.pipe.finish()
        self.assertEqual([[Loss(7, 0, 9)], [Text(7, 6, "kept", "1")], event(7, 6)], self.received())

    def test_stuck_recorder(self) -> None:
        """The end of a trace does not wait for a recorder that reads nothing."""
        self.patch(event_pipe, "_PATIENCE_MS", 1)
        self.pipe.send(event(7, 5) * 16384)
        self.assertTrue(self.pipe.is_behind)
        self.pipe.finish()
        self.assertTrue(self.pipe.is_behind)

    def test_recorder_ended(self) -> None:
        """After the recorder has ended, nothing is kept, and nothing fails."""
        self.close()
        self.pipe.send(event(7, 5))
        self.assertFalse(self.pipe.is_open)
        self.pipe.send(event(7, 6))
        self.assertFalse(self.pipe.is_behind)
        self.pipe.finish()

    def test_losses(self) -> None:
        """Calls are counted in the second in which they ended; bytes moved are no call."""
        second = 1_000_000_000
        events = b"".join(
            (
                event(7, 5, second),
                event(7, second + 5, 1),
                event(7, second + 5, 1, Flag.MOVED),
                event(8, 5, UNFINISHED_NS, Flag.UNFINISHED),
            )
        )
        self.assertEqual([Loss(7, 1, 2), Loss(8, 0, 1)], losses_of(events))


class WaitingTests(TestCase):
    """What is sent without loss."""

    def test_more_than_a_pipe_holds(self) -> None:
        """The sender waits for a reader that is slow."""
        reading, writing = os.pipe()
        calls = LogCalls(
            calls=(
                LogCall(1, 7, None, 1, "read", "x" * 9_000_000, "0", "", returned=True, object=0),
            )
        )
        sender = Thread(
            target=EventPipe(writing).send_at_once, args=[encode(Kind.LOG_CALLS, calls)]
        )
        sender.start()
        decoder = EventDecoder()
        found: list[object] = []
        while not found:
            decoder.receive_data(os.read(reading, 1 << 16))
            found += decoder.frames()
        sender.join()
        for fd in (reading, writing):
            os.close(fd)
        self.assertEqual([calls], found)
