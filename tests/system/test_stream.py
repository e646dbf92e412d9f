"""Tests of the stream with the client of another library."""

import json
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase
from websockets.exceptions import InvalidStatus

from tests.system.servers import PATIENCE_S, close_code, serving


class ClientTests(SynchronousTestCase):
    """The websockets library."""

    def test_messages(self) -> None:
        """It gets the table at once and then every second, also after the end of the log."""
        with serving() as server, server.stream() as client:
            messages = [json.loads(client.recv(PATIENCE_S)) for _ in range(3)]

            self.assertEqual([server.json("/api/stats")] * 3, messages)

    def test_going_away(self) -> None:
        """At SIGTERM it gets the close code for a server that goes away."""
        with serving() as server, server.stream() as client:
            client.recv(PATIENCE_S)
            status = server.end()
            self.assertEqual(1001, close_code(client))
            self.assertEqual(0, status)
        self.assertNotIn(b"Traceback", server.output)

    def test_token(self) -> None:
        """It is refused without the token, and accepted with it."""
        with serving("--ws-token", "sesame") as server:
            with self.assertRaises(InvalidStatus) as refused:
                server.stream().recv()
            response = refused.exception.response
            self.assertEqual(
                (401, "Bearer"), (response.status_code, response.headers["WWW-Authenticate"])
            )
            self.assertEqual("unauthorized", json.loads(response.body or b"")["error"])
            for query, headers in (
                ("", {"Authorization": "Bearer sesame"}),
                ("?token=sesame", {}),
            ):
                with server.stream(query, headers) as client:
                    self.assertTrue(client.recv(PATIENCE_S))

    def test_token_file(self) -> None:
        """The token may come from a file."""
        name = self.mktemp()
        Path(name).write_text("sesame\n")
        with (
            serving("--ws-token-file", name) as server,
            server.stream("?token=sesame") as client,
        ):
            self.assertTrue(client.recv(PATIENCE_S))

    def test_cap(self) -> None:
        """A client beyond the limit gets 503."""
        with serving("--max-clients", "1") as server, server.stream() as client:
            client.recv(PATIENCE_S)
            with self.assertRaises(InvalidStatus) as refused:
                server.stream().recv()
            self.assertEqual(503, refused.exception.response.status_code)
