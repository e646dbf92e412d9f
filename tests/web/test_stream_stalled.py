"""Tests of a client that does not read, with real sockets: what is buffered for it is bounded."""

import socket
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ClientFactory, Protocol
from twisted.trial.unittest import TestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.web.stream import _MAX_TICKS_BEHIND
from syswatch.web.stream_client import SEND_BUFFER
from tests.web.frames import UPGRADE, frames
from tests.web.served import FakeSession, Served, request

# Large messages fill the buffers after a few.
MANY = Delta(calls={f"call_{number}": CallTally(count=1) for number in range(300)})


class Reader(Protocol):
    """A client that reads."""

    transport: Any

    def __init__(self) -> None:
        self.received = b""
        self._waiting: list[tuple[int, Deferred[None]]] = []

    def connectionMade(self) -> None:
        """Request the upgrade."""
        self.transport.write(request("/stream", UPGRADE))

    def dataReceived(self, data: bytes) -> None:
        """Store what arrives."""
        self.received += data
        for waiting in tuple(self._waiting):
            if len(self.messages) >= waiting[0]:
                self._waiting.remove(waiting)
                waiting[1].callback(None)

    @property
    def messages(self) -> list[bytes]:
        """The payloads of all complete messages."""
        _, _, data = self.received.partition(b"\r\n\r\n")
        return [frame.payload for frame in frames(data) if frame.payload.endswith(b"]")]

    def until(self, count: int) -> Deferred[None]:
        """Return a Deferred that fires after a number of messages."""
        waiting: Deferred[None] = Deferred()
        self._waiting.append((count, waiting))
        self.dataReceived(b"")
        return waiting


class ReaderFactory(ClientFactory):
    """A factory of one reader."""

    noisy = False

    def __init__(self) -> None:
        self.reader = Reader()

    def buildProtocol(self, _address: Any) -> Reader:
        """Return the reader."""
        return self.reader


class StalledTests(TestCase):
    """A client with a full kernel buffer beside one that reads."""

    def setUp(self) -> None:
        """Serve on a real port with a clock that the test controls."""
        net: Any = reactor
        self.served = Served(session=FakeSession.of(MANY))
        self.served.site.noisy = False
        port = net.listenTCP(0, self.served.site, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.address = ("127.0.0.1", port.getHost().port)
        factory = ReaderFactory()
        connection = net.connectTCP(*self.address, factory)
        self.addCleanup(connection.disconnect)
        self.reader = factory.reader

    def stall(self) -> None:
        """Connect without ever reading."""
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(self.address)
        client.sendall(request("/stream", UPGRADE))

    def test_others_unaffected(self) -> Deferred[None]:
        """The reading client gets every message; the stalled one is dropped in time."""

        async def test() -> None:
            stream = self.served.web.stream.stream
            await self.reader.until(1)
            size = len(self.reader.messages[0])
            self.stall()
            while stream.clients < 2:
                await _a_turn()
            own_port = self._port()
            [stalled] = [
                each for each in stream._clients if each.transport.getPeer().port != own_port
            ]
            ticks = 0
            missed: list[int] = []
            buffered: list[int] = []
            while stream.dropped == 0:
                self.served.reactor.advance(1)
                ticks += 1
                # Exactly one per tick.
                await self.reader.until(ticks + 1)
                self.assertEqual(ticks + 1, len(self.reader.messages))
                missed.append(stalled.ticks_behind)
                buffered.append(len(stalled.transport.dataBuffer) + stalled.transport._tempDataLen)
                self.assertLess(ticks, 60)

            # The kernel may accept data again after it was full.
            first = len(missed) - missed[::-1].index(0)
            # The kernel's buffers, which it doubles, and Twisted's high-water mark.
            self.assertLessEqual(first, (4 * SEND_BUFFER) // size + 2)
            self.assertEqual(list(range(1, _MAX_TICKS_BEHIND + 1)), missed[first:])
            self.assertLessEqual(max(buffered), stalled.transport.bufferSize + size)
            while stream.clients > 1:
                await _a_turn()

        return Deferred.fromCoroutine(test())

    def _port(self) -> int:
        transport: Any = self.reader.transport
        return int(transport.getHost().port)


def _a_turn() -> Deferred[None]:
    """Run the reactor once."""
    turn: Deferred[None] = Deferred()
    net: Any = reactor
    net.callLater(0, turn.callback, None)
    return turn
