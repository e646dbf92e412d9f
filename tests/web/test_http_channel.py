"""Tests of the patience with connections."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.web import http_channel, server
from syswatch.web.http_channel import REQUEST_TIMEOUT_S, REQUESTS_PER_TURN
from tests.web.frames import Listener
from tests.web.served import Connection, Response, Served, request


def is_gone(connection: Connection) -> bool:
    """Say whether the server has dropped a connection."""
    return bool(connection.transport.disconnected or connection.transport.disconnecting)


class PatienceTests(SynchronousTestCase):
    """How long a client may take."""

    def setUp(self) -> None:
        """Have a server."""
        self.served = Served()

    def test_silent(self) -> None:
        """A client that says nothing is dropped after a while, and not before."""
        connection = self.served.connect()

        self.served.reactor.pump([1] * (REQUEST_TIMEOUT_S - 1))
        self.assertFalse(is_gone(connection))
        self.served.reactor.pump([1] * 2)

        self.assertTrue(is_gone(connection))

    def test_dripping(self) -> None:
        """A client that sends a header line a second is dropped all the same."""
        connection = self.served.connect()
        connection.send(b"GET /api/stats HTTP/1.1\r\n")

        for _ in range(REQUEST_TIMEOUT_S + 2):
            self.served.reactor.advance(1)
            if not is_gone(connection):
                connection.send(b"X-A: b\r\n")

        self.assertTrue(is_gone(connection))

    def test_dripping_body(self) -> None:
        """So is one that sends a body byte by byte."""
        connection = self.served.connect()
        connection.send(request("/api/stats", {"Content-Length": "1000000"}, "POST"))

        for _ in range(REQUEST_TIMEOUT_S + 2):
            self.served.reactor.advance(1)
            if not is_gone(connection):
                connection.send(b"x")

        self.assertTrue(is_gone(connection))

    def test_polling(self) -> None:
        """A client that asks now and then stays for as long as it likes."""
        connection = self.served.connect()

        for _ in range(20):
            self.served.reactor.pump([1] * (REQUEST_TIMEOUT_S - 2))
            self.assertEqual(200, connection.get("/api/stats").status)

        self.assertFalse(is_gone(connection))

    def test_stream(self) -> None:
        """A client of the stream owes us no request."""
        listener = Listener(self.served)

        self.assertEqual(0, len(self.served.site.pending))
        self.served.reactor.pump([1] * 10)
        self.assertFalse(is_gone(listener.connection))

    def test_idle(self) -> None:
        """Nothing runs when nobody is connected."""
        connection = self.served.connect()
        connection.get("/api/stats")

        connection.lose()

        self.served.reactor.pump([1] * 2)
        self.assertEqual([], self.served.reactor.getDelayedCalls())

    def test_too_many(self) -> None:
        """When too many wait, the one that has waited longest goes, not the newest."""
        self.patch(server, "MAX_PENDING_CONNECTIONS", 3)
        served = Served()
        oldest, *others = [served.connect() for _ in range(3)]

        newest = served.connect()

        self.assertTrue(is_gone(oldest))
        self.assertFalse(any(map(is_gone, others)))
        self.assertEqual(200, newest.get("/healthz").status)


class BodyTests(SynchronousTestCase):
    """Bodies where none belong."""

    def test_ignored(self) -> None:
        """A GET with a body is answered as one without, and the next request is understood."""
        connection = Served().connect()
        raw = request("/healthz", {"Content-Length": "3"}) + b"abc" + request("/healthz")

        self.assertEqual(2, connection.send(raw).count(b"200 OK"))

    def test_not_kept(self) -> None:
        """Nothing of a large body is kept, in memory or in a file."""
        connection = Served().connect()
        connection.send(request("/api/stats", {"Content-Length": str(10**12)}, "POST"))

        for _ in range(10):
            connection.send(b"x" * 100_000)

        channel = connection.transport.protocol
        assert isinstance(channel, http_channel.Channel)
        self.assertEqual(b"", channel.requests[-1].content.getvalue())

    def test_forms(self) -> None:
        """A form is no more than another body."""
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            raw = request("/api/stats", {"Content-Type": kind, "Content-Length": "3"}, "POST")
            self.assertEqual(405, Response.of(Served().connect().send(raw + b"a=b")).status)


class NonsenseTests(SynchronousTestCase):
    """What is no HTTP."""

    def test_refused(self) -> None:
        """Nonsense gets 400 as JSON, once, and the connection is closed."""
        for nonsense in (
            b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
            b"GET /healthz\r\n\r\n",
            b"GET  HTTP/1.1\r\n\r\n",
            b"GET /a b c HTTP/1.1\r\n\r\n",
            request("/", {"Content-Length": "-1"}),
            request("/", {"Content-Length": "x"}),
            request("/", {"Transfer-Encoding": "gzip"}),
            request("/", {"Transfer-Encoding": "chunked"}) + b"zz\r\n\r\n",
            request("/", {"Transfer-Encoding": "chunked", "Content-Length": "1"}) + b"0\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\n" + b"X: y\r\n" * 600 + b"\r\n",
            b"GET /healthz HTTP/1.1\r\n: x\r\n\r\n",
        ):
            connection = Served().connect()
            response = Response.of(connection.send(nonsense))
            self.assertEqual((400, "bad_request"), (response.status, response.json["error"]))
            self.assertEqual("close", response.headers["connection"])
            self.assertTrue(is_gone(connection))

    def test_too_large(self) -> None:
        """A request line or a header that is too large gets 431."""
        for large in (b"GET /" + b"a" * 20_000, b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000):
            response = Response.of(Served().connect().send(large + b"\r\n\r\n"))
            self.assertEqual((431, "bad_request"), (response.status, response.json["error"]))

    def test_old_protocol(self) -> None:
        """HTTP/1.0 is answered and closed."""
        connection = Served().connect()

        response = Response.of(connection.send(b"GET /healthz HTTP/1.0\r\n\r\n"))

        self.assertEqual((200, b"ok"), (response.status, response.body))
        self.assertTrue(is_gone(connection))


class PipelineTests(SynchronousTestCase):
    """Many requests at once."""

    def test_answered_in_order(self) -> None:
        """Each of them is answered, in order."""
        raw = request("/healthz") + request("/nothing") + request("/api/categories")

        answer = Served().connect().send(raw)

        self.assertEqual([b"200", b"404", b"200"], [p[1:4] for p in answer.split(b"HTTP/1.1")[1:]])

    def test_not_read(self) -> None:
        """Who asks and asks and does not read is answered no more until he has read."""
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
        """With many requests at once, others get a turn in between; nothing is read meanwhile."""
        served = Served()
        connection = served.connect()
        transport = connection.transport

        connection.send(request("/healthz") * (2 * REQUESTS_PER_TURN + 5))

        self.assertEqual(REQUESTS_PER_TURN, transport.value().count(b"200 OK"))
        self.assertEqual("paused", transport.producerState)
        # This clock knows no turns: it does at once all that is due.
        served.reactor.advance(0)
        self.assertEqual(2 * REQUESTS_PER_TURN + 5, transport.value().count(b"200 OK"))
        self.assertEqual("producing", transport.producerState)

    def test_turn_of_one_who_left(self) -> None:
        """Who goes before his next turn is forgotten."""
        served = Served()
        connection = served.connect()
        connection.send(request("/healthz") * (REQUESTS_PER_TURN + 1))

        connection.lose()
        served.reactor.advance(0)

        self.assertEqual(REQUESTS_PER_TURN, connection.transport.value().count(b"200 OK"))

    def test_not_read_in_turn(self) -> None:
        """A client that does not read has no turn until it has read."""
        served = Served()
        connection = served.connect()
        channel = connection.transport.protocol
        connection.send(request("/healthz") * (REQUESTS_PER_TURN + 5))
        channel.pauseProducing()
        served.reactor.advance(0)
        self.assertEqual(REQUESTS_PER_TURN, connection.transport.value().count(b"200 OK"))

        channel.resumeProducing()

        self.assertEqual(REQUESTS_PER_TURN + 5, connection.transport.value().count(b"200 OK"))

    def test_never_read(self) -> None:
        """Who never reads is dropped."""
        served = Served()
        connection = served.connect()
        connection.transport.protocol.pauseProducing()
        connection.send(request("/metrics") * 5)

        served.reactor.pump([1] * (REQUEST_TIMEOUT_S + 2))

        self.assertTrue(is_gone(connection))
