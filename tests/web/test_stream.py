"""Tests of the stream: its messages and clients."""

import gc
import weakref
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.access import Access
from syswatch.views import records
from syswatch.web.stream_client import StreamProtocol
from tests.web.frames import CLOSE, PING, PONG, TEXT, UPGRADE, Listener
from tests.web.served import EXAMPLE, Served, request, snapshot_of


def pause(listener: Listener) -> None:
    """Signal that a client does not read."""
    protocol = listener.connection.transport.protocol
    assert isinstance(protocol, StreamProtocol)
    protocol.pauseProducing()


class MessageTests(SynchronousTestCase):
    """The messages to a client."""

    def test_first_at_once(self) -> None:
        """The first message follows the handshake and equals /api/stats."""
        served = Served()

        listener = Listener(served)

        self.assertIn(b"101", listener.head.split(b"\r\n")[0])
        [frame] = listener.received()
        self.assertEqual(TEXT, frame.kind)
        self.assertEqual(served.get("/api/stats").json, frame.json)

    def test_each_second(self) -> None:
        """Every second one message is sent."""
        served = Served()
        listener = Listener(served)
        listener.received()

        for _ in range(5):
            served.reactor.advance(1)
            self.assertEqual([TEXT], [frame.kind for frame in listener.received()])

    def test_newest_snapshot(self) -> None:
        """A message has the newest snapshot."""
        served = Served()
        listener = Listener(served)
        listener.received()

        served.session.snapshot = snapshot_of(EXAMPLE, EXAMPLE)
        served.reactor.advance(1)

        [frame] = listener.received()
        self.assertEqual(6, frame.json[0]["Count"])

    def test_one_encoding(self) -> None:
        """A snapshot is encoded once, however many clients use it."""
        served = Served()
        listeners = [Listener(served) for _ in range(20)]

        with mock.patch("syswatch.web.responses.encode", wraps=records.encode) as encode:
            served.session.snapshot = snapshot_of(EXAMPLE)
            served.reactor.advance(1)
            served.get("/api/stats")

        self.assertEqual(1, encode.call_count)
        self.assertEqual(
            {served.get("/api/stats").body},
            {listener.received()[-1].payload for listener in listeners},
        )

    def test_one_framing(self) -> None:
        """A message is framed once for all clients."""
        served = Served()
        listeners = [Listener(served) for _ in range(3)]
        factory = served.web.stream.stream._factory

        with mock.patch.object(factory, "prepareMessage", wraps=factory.prepareMessage) as prepare:
            served.reactor.advance(1)

        self.assertEqual(1, prepare.call_count)
        self.assertEqual([2, 2, 2], [len(listener.received()) for listener in listeners])

    def test_shared_options(self) -> None:
        """The options are not copied to each client."""
        listener = Listener(Served())

        protocol = listener.connection.transport.protocol
        assert isinstance(protocol, StreamProtocol)
        self.assertEqual(set(), set(StreamProtocol.CONFIG_ATTRS) & set(vars(protocol)))
        self.assertEqual(1024, vars(type(protocol))["maxMessagePayloadSize"])

    def test_no_compression(self) -> None:
        """Compression is not negotiated."""
        offer = "permessage-deflate; client_max_window_bits"

        listener = Listener(Served(), {"Sec-WebSocket-Extensions": offer})

        self.assertNotIn(b"extensions", listener.head.lower())


class LifeTests(SynchronousTestCase):
    """Connecting and disconnecting."""

    def test_counted(self) -> None:
        """Clients are counted."""
        served = Served()
        first, second = Listener(served), Listener(served)
        self.assertEqual(2, served.web.stream.clients)

        first.connection.lose()

        self.assertEqual(1, served.web.stream.clients)
        second.connection.lose()
        self.assertEqual(0, served.web.stream.clients)

    def test_idle(self) -> None:
        """No timer runs without clients."""
        served = Served()
        listener = Listener(served)

        listener.connection.lose()

        served.reactor.pump([1] * 60)
        self.assertEqual([], served.reactor.getDelayedCalls())

    def test_reconnected_during_a_tick(self) -> None:
        """There is one message a second, also if the last client was replaced during a tick."""
        served = Served()
        first = Listener(served)
        first.received()
        # It sends in the reactor's next turn.
        served.reactor.advance(1)
        first.connection.lose()
        second = Listener(served)
        second.received()
        served.reactor.pump([0.5] * 12)
        self.assertEqual(6, len(second.received()))
        second.connection.lose()
        served.reactor.pump([0.5] * 12)
        self.assertEqual([], served.reactor.getDelayedCalls())
        self.assertEqual([], self.flushLoggedErrors())

    def test_going_away(self) -> None:
        """At the end every client gets a close frame with code 1001."""
        served = Served()
        listeners = [Listener(served) for _ in range(3)]
        for listener in listeners:
            listener.received()

        closed = served.web.stream.close()

        self.assertEqual(
            [(CLOSE, 1001)] * 3,
            [(f.kind, f.close_code) for listener in listeners for f in listener.received()],
        )
        self.assertNoResult(closed)
        for listener in listeners:
            listener.connection.lose()
        self.successResultOf(closed)
        # No delayed call is left.
        served.reactor.advance(1)
        self.assertEqual([], served.reactor.getDelayedCalls())

    def test_during_a_tick(self) -> None:
        """No message follows the close frame, also if it was about to be sent."""
        served = Served()
        listeners = [Listener(served) for _ in range(3)]
        for each in listeners:
            each.received()
        # It sends in the reactor's next turn, when they are closing.
        served.reactor.advance(0.5)
        served.reactor.callLater(0.5, served.web.stream.close)
        served.reactor.advance(0.5)

        for each in listeners:
            kinds = [frame.kind for frame in each.received()]
            self.assertEqual(kinds.index(CLOSE), len(kinds) - 1)

    def test_no_answer(self) -> None:
        """Clients that do not reply to the close frame are dropped after a timeout."""
        served = Served()
        polite, *others = [Listener(served) for _ in range(3)]
        closed = served.web.stream.close()

        polite.send(CLOSE, b"\x03\xe9")
        served.reactor.advance(0.4)
        self.assertNoResult(closed)
        served.reactor.advance(0.2)

        self.assertTrue(all(other.connection.transport.disconnected for other in others))
        for listener in (polite, *others):
            listener.connection.lose()
        self.successResultOf(closed)

    def test_close_without_clients(self) -> None:
        """Without clients the stream closes at once."""
        self.successResultOf(Served().web.stream.close())

    def test_connecting_during_close(self) -> None:
        """A client that connects during the end gets a close frame."""
        served = Served()
        served.web.stream.close()

        listener = Listener(served)

        self.assertEqual(CLOSE, listener.received()[-1].kind)

    def test_leaves_nothing(self) -> None:
        """A disconnected client is freed without the garbage collector."""
        served = Served()
        connection = served.connect()
        channel = weakref.ref(connection.transport.protocol)
        self.addCleanup(gc.enable)
        gc.disable()

        connection.send(request("/stream", UPGRADE))
        protocol = weakref.ref(connection.transport.protocol)
        self.assertIsNone(channel())

        connection.lose()
        # A real transport does this.
        connection.transport.unregisterProducer()
        connection.transport.protocol = None
        self.assertIsNone(protocol())

    def test_client_count(self) -> None:
        """Every change of the number of clients reaches the memory trimmer."""
        with mock.patch("syswatch.web.stream.MemoryTrimmer") as trimmer:
            served = Served()
            listeners = [Listener(served), Listener(served)]
            listeners[0].connection.lose()

        calls = trimmer.return_value.client_count_changed.call_args_list
        self.assertEqual([1, 2, 1], [call.args[0] for call in calls])


class StalledTests(SynchronousTestCase):
    """Clients that do not read."""

    def test_passed_over(self) -> None:
        """Messages to a client that does not read are skipped; other clients get theirs."""
        served = Served()
        stalled, other = Listener(served), Listener(served)
        stalled.received(), other.received()
        pause(stalled)

        served.reactor.advance(1)

        self.assertEqual(([], 1), (stalled.received(), len(other.received())))

    def test_dropped(self) -> None:
        """A client that does not catch up is dropped and counted."""
        served = Served()
        stalled = Listener(served)
        other = Listener(served)
        pause(stalled)

        served.reactor.pump([1] * 15)

        self.assertTrue(stalled.connection.transport.disconnected)
        self.assertFalse(other.connection.transport.disconnected)
        self.assertEqual(1, served.web.stream.dropped)
        text = served.get("/metrics").body.decode()
        self.assertIn("syswatch_ws_dropped_clients_total 1.0", text)

    def test_catches_up(self) -> None:
        """A client that reads again in time gets the newest message."""
        served = Served()
        stalled = Listener(served)
        protocol = stalled.connection.transport.protocol
        assert isinstance(protocol, StreamProtocol)
        for _ in range(5):
            pause(stalled)
            served.reactor.pump([1] * 10)
            protocol.resumeProducing()
            before = stalled.received()
            served.reactor.advance(1)
            heard = stalled.received()
            self.assertIn(TEXT, [frame.kind for frame in heard])
            for frame in (*before, *heard):
                if frame.kind == PING:
                    stalled.send(PONG, frame.payload)
            protocol.sendPong(b"")

        self.assertEqual(0, served.web.stream.dropped)


class CapTests(SynchronousTestCase):
    """The maximum number of clients."""

    def test_full(self) -> None:
        """A client beyond the maximum gets 503, until another disconnects."""
        served = Served(Access(most_clients=1))
        first = Listener(served)

        refused = Listener(served)

        self.assertIn(b"503", refused.head.split(b"\r\n")[0])
        self.assertEqual(1, served.web.stream.clients)
        first.connection.lose()
        self.assertIn(b"101", Listener(served).head.split(b"\r\n")[0])
