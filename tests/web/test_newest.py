"""Tests that responses wait for what a resting tracer has left in the kernel."""

import json

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from tests.web.frames import Listener
from tests.web.served import Connection, FakeSession, Response, Served, request, snapshot_of

_NEWER = snapshot_of(Delta(calls={"read": CallTally(count=77)}))


class RequestTests(SynchronousTestCase):
    """Requests while the numbers are old."""

    def setUp(self) -> None:
        """Serve a tracer that rests."""
        self.refreshed: Deferred[None] = Deferred()
        self.session = FakeSession.of(Delta(calls={"read": CallTally(count=1)}))
        self.session.refreshed = self.refreshed
        self.served = Served(session=self.session)

    def waits(self, path: str, method: str = "GET") -> Connection | None:
        """Send a request; return the connection if there is no response yet."""
        connection = self.served.connect()
        return None if connection.send(request(path, method=method)) else connection

    def refresh(self, connection: Connection) -> Response:
        """Make the numbers new; return the response."""
        self.session.snapshot = _NEWER
        self.refreshed.callback(None)
        return Response.of(bytes(connection.transport.value()))

    def test_numbers(self) -> None:
        """The response has the new numbers, however its path is found and its handler runs."""
        for path, expected in (
            ("/api/stats", b'"Count":77'),
            ("/api/syscall/read", b'"Count":77'),
            ("/metrics", b'syswatch_syscall_calls_total{category="I/O",syscall="read"} 77.0'),
            ("/api/threads", b'"Threads":[]'),
        ):
            self.setUp()
            connection = self.waits(path)
            assert connection is not None, path
            response = self.refresh(connection)
            self.assertEqual(200, response.status, path)
            self.assertIn(expected, response.body, path)

    def test_errors(self) -> None:
        """Errors of handlers of all kinds are sent as always."""
        for path, error in (
            ("/api/now?limit=x", "bad_request"),
            ("/api/syscall/nonsense", "unknown_syscall"),
            ("/api/recording/lanes", "no_recording"),
        ):
            self.setUp()
            connection = self.waits(path)
            assert connection is not None, path
            self.assertEqual(error, json.loads(self.refresh(connection).body)["error"], path)

    def test_at_once(self) -> None:
        """Probes, pages and refused requests do not wait."""
        for path in ("/healthz", "/readyz", "/", "/syscall/read"):
            self.assertIsNone(self.waits(path), path)
        self.assertIsNone(self.waits("/api/stats", method="POST"))

    def test_disconnected(self) -> None:
        """A client that does not wait for its response leaves nothing behind."""
        connection = self.waits("/api/stats")
        assert connection is not None
        connection.lose()
        self.refreshed.callback(None)
        self.assertEqual([], self.flushLoggedErrors())


class StreamTests(SynchronousTestCase):
    """The stream."""

    def test_watched(self) -> None:
        """Details are asked for while clients are connected."""
        served = Served()
        first, second = Listener(served), Listener(served)
        self.assertEqual(1, served.session.watchers)
        first.connection.lose()
        self.assertEqual(1, served.session.watchers)
        second.connection.lose()
        self.assertEqual(0, served.session.watchers)
