"""Tests of how the stream finds out that a client is gone without having disconnected."""

from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.stream_client import StreamProtocol
from tests.web.frames import PING, PONG, TEXT, Listener, client_frame
from tests.web.served import Served


class PingTests(SynchronousTestCase):
    """Pings to clients that send nothing."""

    def pings(self, listener: Listener) -> int:
        """Return how many pings a client has got; each is followed by a message at once."""
        kinds = [frame.kind for frame in listener.received()]
        pings = [at for at, kind in enumerate(kinds) if kind == PING]
        self.assertEqual([TEXT] * len(pings), [kinds[at + 1] for at in pings])
        return len(pings)

    def test_answered(self) -> None:
        """A client that responds to pings, with any payload, stays connected."""
        served = Served()
        listener = Listener(served)
        pings = 0

        for tick in range(100):
            served.reactor.advance(1)
            for _ in range(self.pings(listener)):
                pings += 1
                listener.send(PONG, b"x" * tick)

        self.assertEqual(5, pings)
        self.assertEqual(1, served.web.stream.clients)
        self.assertFalse(listener.connection.transport.disconnected)

    def test_unanswered(self) -> None:
        """A client that responds to no ping is pinged once, then dropped; it did read."""
        served = Served()
        listener = Listener(served)

        served.reactor.pump([1] * 39)
        self.assertFalse(listener.connection.transport.disconnected)
        self.assertEqual(1, self.pings(listener))
        served.reactor.advance(1)

        self.assertTrue(listener.connection.transport.disconnected)
        self.assertEqual(0, served.web.stream.dropped)

    def test_any_data(self) -> None:
        """Whatever a client sends shows that it is there, and then it need not be pinged."""
        served = Served()
        listener = Listener(served)
        for _ in range(10):
            served.reactor.pump([1] * 19)
            self.assertEqual(0, self.pings(listener))
            listener.send(PING, b"")
            self.assertEqual([PONG], [frame.kind for frame in listener.received()])

        self.assertFalse(listener.connection.transport.disconnected)

    def test_spread(self) -> None:
        """Clients that connect at once are pinged in different ticks."""
        served = Served()
        listeners = [Listener(served) for _ in range(40)]
        for _ in range(3):
            for _ in range(20):
                served.reactor.advance(1)
                counts = [self.pings(listener) for listener in listeners]
                self.assertEqual(2, sum(counts))
                for listener, count in zip(listeners, counts, strict=True):
                    if count:
                        listener.send(PONG, b"")

    def test_later(self) -> None:
        """A client that does not read is pinged once it reads again, and has as long to answer."""
        served = Served()
        listener = Listener(served)
        served.reactor.pump([1] * 15)
        protocol = listener.connection.transport.protocol
        assert isinstance(protocol, StreamProtocol)
        protocol.pauseProducing()
        served.reactor.pump([1] * 10)
        self.assertEqual(0, self.pings(listener))
        protocol.resumeProducing()

        served.reactor.advance(1)
        self.assertEqual(1, self.pings(listener))
        served.reactor.pump([1] * 19)
        self.assertFalse(listener.connection.transport.disconnected)
        served.reactor.advance(1)
        self.assertTrue(listener.connection.transport.disconnected)

    def test_pongs_are_not_parsed(self) -> None:
        """A pong that arrives alone does not reach Autobahn; two at once do, and do no harm."""
        listener = Listener(Served())
        with mock.patch.object(StreamProtocol, "_dataReceived") as parse:
            listener.send(PONG, b"abc")
        parse.assert_not_called()

        two = 2 * client_frame(PONG, b"abc")
        listener.connection.transport.protocol.dataReceived(two)
        listener.send(PING, b"still here")
        self.assertEqual(b"still here", listener.received()[-1].payload)
