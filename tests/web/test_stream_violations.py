"""Tests of clients that violate the WebSocket protocol."""

from twisted.trial.unittest import SynchronousTestCase

from tests.web.frames import CLOSE, VIOLATIONS, Listener
from tests.web.served import Served


class ViolationTests(SynchronousTestCase):
    """Violations of RFC 6455."""

    def setUp(self) -> None:
        """Connect."""
        self.served = Served()
        self.listener = Listener(self.served)
        self.listener.received()
        self.transport = self.listener.connection.transport

    def send(self, data: bytes) -> None:
        """Send bytes and store the response."""
        self.transport.protocol.dataReceived(data)

    def test_told(self) -> None:
        """The client gets a close frame with the code, and nothing after it."""
        for violation, code in VIOLATIONS:
            self.setUp()
            self.send(violation)

            [frame] = self.listener.received()
            self.assertEqual((CLOSE, code), (frame.kind, frame.close_code), violation[:20])
            self.assertLessEqual(len(frame.payload), 125)
            self.assertTrue(frame.payload[2:].decode("ascii"), violation[:20])
            self.assertTrue(self.transport.is_half_closed)
            self.assertFalse(self.transport.disconnected)

    def test_bytes_one_by_one(self) -> None:
        """The result is the same if the bytes arrive one by one."""
        for violation, code in VIOLATIONS:
            self.setUp()
            for byte in violation:
                self.send(bytes([byte]))

            [frame] = self.listener.received()
            self.assertEqual((CLOSE, code), (frame.kind, frame.close_code), violation[:20])

    def test_deaf_afterwards(self) -> None:
        """Data after a violation is discarded, and no more messages are sent."""
        self.send(b"\x81\x03abc")
        self.listener.received()

        for _ in range(100):
            self.send(b"\x89\x80\0\0\0\0" * 1000)
        self.served.reactor.advance(0.9)

        self.assertEqual([], self.listener.received())
        self.assertLess(len(self.transport.protocol.data), 100)

    def test_closes(self) -> None:
        """A client that closes then is gone at once."""
        self.send(b"\x81\x03abc")

        self.transport.protocol.readConnectionLost()
        self.assertTrue(self.transport.disconnecting)
        self.listener.connection.lose()

        self.assertEqual(0, self.served.web.stream.clients)
        self.served.reactor.advance(1)
        self.assertEqual([], self.served.reactor.getDelayedCalls())

    def test_stays(self) -> None:
        """A client that does not close is cut off after a timeout."""
        self.send(b"\x81\x03abc")

        self.served.reactor.advance(0.9)
        self.assertFalse(self.transport.disconnected)
        self.served.reactor.advance(0.2)

        self.assertTrue(self.transport.disconnected)

    def test_after_farewell(self) -> None:
        """A violation after the close frame of the server gets no second one."""
        self.served.web.stream.close()
        self.listener.received()

        self.send(b"\x81\x03abc")

        self.assertEqual([], self.listener.received())
        self.assertTrue(self.transport.is_half_closed)

    def test_half_closed(self) -> None:
        """A client that shuts down its half gets what is buffered, and no more."""
        self.transport.protocol.readConnectionLost()

        self.assertTrue(self.transport.disconnecting)
        self.served.reactor.advance(1)
        self.assertEqual([], self.listener.received())
