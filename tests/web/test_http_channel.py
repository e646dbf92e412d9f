"""Tests of HTTP connections: deadlines, bodies, malformed requests and pipelining."""

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from syswatch.web import http_channel, server
from syswatch.web.http_channel import MOST_UNREAD_TIMEOUTS, REQUEST_TIMEOUT_S, REQUESTS_PER_TURN
from tests.web.frames import UPGRADE, Listener
from tests.web.served import Connection, Response, Served, request


def is_dropped(connection: Connection) -> bool:
    """Return whether the server has dropped a connection."""
    return bool(connection.transport.disconnected or connection.transport.disconnecting)


class DeadlineTests(SynchronousTestCase):
    """The deadline of a request."""

    def setUp(self) -> None:
        """Create a server."""
        self.served = Served()

    def test_silent(self) -> None:
        """A client that sends nothing is dropped at the deadline, not before."""
        connection = self.served.connect()

        self.served.reactor.pump([1] * (REQUEST_TIMEOUT_S - 1))
        self.assertFalse(is_dropped(connection))
        self.served.reactor.pump([1] * 2)

        self.assertTrue(is_dropped(connection))

    def assert_dropped_despite(self, start: bytes, rest: bytes) -> None:
        """Check that a client is dropped that sends a bit of a request every second."""
        connection = self.served.connect()
        connection.send(start)
        for _ in range(REQUEST_TIMEOUT_S + 2):
            self.served.reactor.advance(1)
            if not is_dropped(connection):
                connection.send(rest)
        self.assertTrue(is_dropped(connection))

    def test_dripping(self) -> None:
        """A client that sends a header line per second is dropped at the deadline."""
        self.assert_dropped_despite(b"GET /api/stats HTTP/1.1\r\n", b"X-A: b\r\n")

    def test_dripping_body(self) -> None:
        """A client that sends a body byte by byte is dropped at the deadline."""
        headers = request("/api/stats", {"Content-Length": "1000000"}, "POST")
        self.assert_dropped_despite(headers, b"x")

    def test_polling(self) -> None:
        """A client that polls stays connected."""
        connection = self.served.connect()

        for _ in range(20):
            self.served.reactor.pump([1] * (REQUEST_TIMEOUT_S - 2))
            self.assertEqual(200, connection.get("/api/stats").status)

        self.assertFalse(is_dropped(connection))

    def test_stream(self) -> None:
        """A stream client has no deadline."""
        listener = Listener(self.served)

        self.assertEqual(0, len(self.served.site.pending))
        self.served.reactor.pump([1] * 10)
        self.assertFalse(is_dropped(listener.connection))

    def test_idle(self) -> None:
        """No timer runs without connections."""
        connection = self.served.connect()
        connection.get("/api/stats")

        connection.lose()

        self.served.reactor.pump([1] * 2)
        self.assertEqual([], self.served.reactor.getDelayedCalls())

    def test_too_many(self) -> None:
        """Beyond the limit, the connection that is pending longest is dropped."""
        self.patch(server, "MAX_PENDING_CONNECTIONS", 3)
        served = Served()
        oldest, *others = [served.connect() for _ in range(3)]

        newest = served.connect()

        self.assertTrue(is_dropped(oldest))
        self.assertFalse(any(map(is_dropped, others)))
        self.assertEqual(200, newest.get("/healthz").status)


class BodyTests(SynchronousTestCase):
    """Requests with a body."""

    def test_ignored(self) -> None:
        """A body is ignored, and the next request is parsed."""
        connection = Served().connect()
        raw = request("/healthz", {"Content-Length": "3"}) + b"abc" + request("/healthz")

        self.assertEqual(2, connection.send(raw).count(b"200 OK"))

    def test_not_kept(self) -> None:
        """A large body is not stored in memory or in a file."""
        connection = Served().connect()
        connection.send(request("/api/stats", {"Content-Length": str(10**12)}, "POST"))

        for _ in range(10):
            connection.send(b"x" * 100_000)

        channel = connection.transport.protocol
        assert isinstance(channel, http_channel.Channel)
        self.assertEqual(b"", channel.requests[-1].content.getvalue())

    def test_forms(self) -> None:
        """A form is ignored like any body."""
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            raw = request("/api/stats", {"Content-Type": kind, "Content-Length": "3"}, "POST")
            self.assertEqual(405, Response.of(Served().connect().send(raw + b"a=b")).status)


class MalformedTests(SynchronousTestCase):
    """Data that is not HTTP."""

    def test_refused(self) -> None:
        """Malformed requests get one 400 as JSON, and the connection is closed."""
        for malformed in (
            b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
            b"GET /healthz\r\n\r\n",
            b"GET  HTTP/1.1\r\n\r\n",
            b"GET /a b c HTTP/1.1\r\n\r\n",
            request("/", {"Content-Length": "-1"}),
            request("/", {"Content-Length": "x"}),
            request("/", {"Transfer-Encoding": "gzip"}),
            request("/", {"Transfer-Encoding": "chunked"}) + b"zz\r\n\r\n",
            request("/", {"Transfer-Encoding": "chunked", "Content-Length": "1"}) + b"0\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\n: x\r\n\r\n",
        ):
            connection = Served().connect()
            response = Response.of(connection.send(malformed))
            self.assertEqual((400, "bad_request"), (response.status, response.json["error"]))
            self.assertEqual("close", response.headers["connection"])
            self.assertTrue(is_dropped(connection))

    def test_too_large(self) -> None:
        """A request line or headers that are too large or too many get one 431."""
        for large in (
            b"GET /" + b"a" * 20_000,
            b"GET /" + b"a" * 16_375 + b" HTTP/1.1\r\nHost: localhost",
            b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000,
            b"GET / HTTP/1.1" + (b"\r\nX: " + b"a" * 1_000) * 20,
            b"GET / HTTP/1.1" + b"\r\nX: y" * 600,
        ):
            connection = Served().connect()
            response = Response.of(connection.send(large + b"\r\n\r\n"))
            self.assertEqual((431, "bad_request"), (response.status, response.json["error"]))
            self.assertEqual("close", response.headers["connection"])
            self.assertTrue(is_dropped(connection))

    def test_old_protocol(self) -> None:
        """HTTP/1.0 gets a response, and the connection is closed."""
        connection = Served().connect()

        response = Response.of(connection.send(b"GET /healthz HTTP/1.0\r\n\r\n"))

        self.assertEqual((200, b"ok"), (response.status, response.body))
        self.assertTrue(is_dropped(connection))


class PipelineTests(SynchronousTestCase):
    """Several requests at once."""

    def test_answered_in_order(self) -> None:
        """Requests are answered in order."""
        raw = request("/healthz") + request("/nothing") + request("/api/categories")

        answer = Served().connect().send(raw)

        self.assertEqual([b"200", b"404", b"200"], [p[1:4] for p in answer.split(b"HTTP/1.1")[1:]])

    def test_not_read(self) -> None:
        """While a client does not read, its requests wait."""
        served = Served()
        connection = served.connect()
        channel = connection.transport.protocol
        assert isinstance(channel, http_channel.Channel)
        channel.pauseProducing()

        answer = connection.send(request("/metrics") * 500)

        self.assertEqual(1, answer.count(b"200 OK"))
        connection.transport.clear()
        channel.resumeProducing()
        served.reactor.pump([0] * 20)
        self.assertEqual(499, connection.transport.value().count(b"200 OK"))

    def test_turns(self) -> None:
        """After a number of requests other connections get their turn, and reading pauses."""
        served = Served()
        connection = served.connect()
        transport = connection.transport

        connection.send(request("/healthz") * (2 * REQUESTS_PER_TURN + 5))

        self.assertEqual(REQUESTS_PER_TURN, transport.value().count(b"200 OK"))
        self.assertEqual("paused", transport.producerState)
        # This clock runs everything that is due at once.
        served.reactor.advance(0)
        self.assertEqual(2 * REQUESTS_PER_TURN + 5, transport.value().count(b"200 OK"))
        self.assertEqual("producing", transport.producerState)

    def test_turn_of_one_who_left(self) -> None:
        """A client that disconnects before its next turn is forgotten."""
        served = Served()
        connection = served.connect()
        connection.send(request("/healthz") * (REQUESTS_PER_TURN + 1))

        connection.lose()
        served.reactor.advance(0)

        self.assertEqual(REQUESTS_PER_TURN, connection.transport.value().count(b"200 OK"))

    def test_not_read_in_turn(self) -> None:
        """A client that does not read gets no turn."""
        served = Served()
        connection = served.connect()
        channel = connection.transport.protocol
        connection.send(request("/healthz") * (REQUESTS_PER_TURN + 5))
        channel.pauseProducing()
        served.reactor.advance(0)
        self.assertEqual(REQUESTS_PER_TURN, connection.transport.value().count(b"200 OK"))

        channel.resumeProducing()

        self.assertEqual(REQUESTS_PER_TURN + 5, connection.transport.value().count(b"200 OK"))


@implementer(IPushProducer)
@attrs.frozen
class _Part:
    """A part of a response that fills the buffers."""

    channel: http_channel.Channel

    def resumeProducing(self) -> None:
        """Write, so that the transport pauses the channel."""
        self.channel.pauseProducing()

    def pauseProducing(self) -> None:
        """Wait."""

    def stopProducing(self) -> None:
        """End."""


class ReadingTests(SynchronousTestCase):
    """The deadline of a client that has to read a response."""

    def setUp(self) -> None:
        """Let a client request something, and note what it has not read."""
        self.unread = 0
        self.patch(http_channel.Channel, "unread_bytes", property(lambda _: self.unread))
        self.served = Served()
        self.connection = self.served.connect()
        self.channel: http_channel.Channel = self.connection.transport.protocol

    def wait(self, unread: int) -> bool:
        """Wait until after the next deadline; return whether the client was dropped."""
        self.unread = unread
        self.served.reactor.pump([1] * (REQUEST_TIMEOUT_S + 2))
        return is_dropped(self.connection)

    def begin_response(self) -> Deferred[None]:
        """Request numbers for which the server has to wait; return what it waits for."""
        waiting: Deferred[None] = Deferred()
        self.served.session.refreshed = waiting
        self.assertEqual(b"", self.connection.send(request("/api/stats")))
        self.assertEqual(0, len(self.served.site.pending))
        return waiting

    def test_never(self) -> None:
        """A client that never reads is dropped."""
        self.channel.pauseProducing()
        self.connection.send(request("/metrics") * 5)

        self.assertTrue(self.wait(0))

    def test_slowly(self) -> None:
        """A client may read slowly, but not stop."""
        self.connection.send(request("/metrics"))

        for unread in (900, 800, 800, 800, 5, 5, 5):
            self.assertFalse(self.wait(unread), unread)
        self.assertTrue(self.wait(5))

    def test_rest(self) -> None:
        """A client that has just read the rest has time for its next request."""
        self.connection.send(request("/metrics"))

        self.assertEqual([False, False, True], [self.wait(unread) for unread in (5, 0, 0)])

    def test_next_response(self) -> None:
        """What was not read of one response says nothing of the next one."""
        self.connection.send(request("/metrics"))
        self.assertFalse(self.wait(5))
        self.connection.send(request("/metrics"))

        self.assertFalse(self.wait(900))

    def test_then_idle(self) -> None:
        """A client that has read everything has the usual time for its next request."""
        self.connection.send(request("/metrics"))
        self.channel.pauseProducing()
        self.served.reactor.pump([1] * (REQUEST_TIMEOUT_S - 1))

        self.channel.resumeProducing()

        self.served.reactor.pump([1] * (REQUEST_TIMEOUT_S - 1))
        self.assertFalse(is_dropped(self.connection))
        self.assertTrue(self.wait(0))

    def test_stopped_within(self) -> None:
        """A client that stops reading a response is dropped before that is complete."""
        self.begin_response()
        self.channel.pauseProducing()

        waits = [self.wait(900) for _ in range(MOST_UNREAD_TIMEOUTS)]
        self.assertEqual([False] * (MOST_UNREAD_TIMEOUTS - 1) + [True], waits)

    def test_paused_at_once(self) -> None:
        """The next part of a response may be more than the client takes."""
        self.begin_response()
        self.channel.registerProducer(_Part(self.channel), streaming=True)
        self.channel.pauseProducing()

        self.channel.resumeProducing()

        self.assertEqual(1, len(self.served.site.pending))

    def test_in_parts(self) -> None:
        """A client that has read one part has as much time for the next one."""
        self.begin_response()
        for unread in (5, 900):
            self.channel.pauseProducing()
            self.assertFalse(self.wait(unread))
            self.channel.resumeProducing()

    def test_more_requests(self) -> None:
        """While a response is not read, further requests are not received."""
        waiting = self.begin_response()
        self.channel.pauseProducing()
        waiting.callback(None)
        self.assertEqual("paused", self.connection.transport.producerState)

        self.channel.resumeProducing()

        self.assertEqual("producing", self.connection.transport.producerState)

    def test_not_complete(self) -> None:
        """A response may take as long as it likes, if its client has read it so far."""
        self.begin_response()
        self.channel.pauseProducing()

        self.channel.resumeProducing()

        self.assertFalse(self.wait(0))

    def test_stream(self) -> None:
        """What was the connection of a stream has no deadline, as the stream has its own."""
        self.connection.send(request("/stream", UPGRADE))

        self.channel.pauseProducing()

        self.assertEqual(0, len(self.served.site.pending))
