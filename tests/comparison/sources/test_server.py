"""Tests of fetching the summary of a server."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from threading import Thread
from unittest.mock import patch

import trustme
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.sources import server
from syswatch.comparison.sources.errors import SourceError
from syswatch.settings.access import Token

_SECRET = "sesame"


class _Handler(BaseHTTPRequestHandler):
    """Answers with the path, if the token is right."""

    def do_GET(self) -> None:
        """Answer."""
        if self.path.startswith("/none/"):
            self.send_error(404)
        elif self.path.startswith("/open/") or self.headers["Authorization"] == f"Bearer {_SECRET}":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.path.encode())
        else:
            self.send_error(401)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@contextmanager
def _serving(context: SSLContext | None = None) -> Iterator[str]:
    """Yield host and port of a server."""
    with HTTPServer(("127.0.0.1", 0), _Handler) as httpd:
        if context is not None:
            httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
        serving = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield f"127.0.0.1:{httpd.server_address[1]}"
        finally:
            httpd.shutdown()
            serving.join()


class FetchTests(SynchronousTestCase):
    """The request, and what is said if there is no answer."""

    def assert_error(self, expected: str, url: str, token: Token | None = None) -> None:
        """Check the sentence."""
        with self.assertRaises(SourceError) as caught:
            server.fetch(url, token)
        self.assertEqual(expected.format(url), str(caught.exception))

    def test_token(self) -> None:
        """The token is presented; a missing one and a wrong one are told apart."""
        with _serving() as place:
            url = f"http://{place}/"
            self.assertEqual(b"/api/summary", server.fetch(url, Token(_SECRET.encode())))
            self.assertEqual(b"/open/api/summary", server.fetch(f"{url}open/", None))
            how = "(use --http-token TOKEN)"
            self.assert_error(f"{{}} requires a token {how}", url)
            self.assert_error(f"{{}} requires another token {how}", url, Token(b"\xff"))
            self.assert_error("{} answered 404 to /api/summary", f"{url}none/")

    def test_certificates(self) -> None:
        """A certificate must be signed by an authority that the machine trusts."""
        authority = trustme.CA()
        context = SSLContext(PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        with _serving(context) as place:
            url = f"https://{place}/open/"
            with self.assertRaisesRegex(
                SourceError, f"^unexpected answer from {url}: certificate verify failed: [^(]+$"
            ):
                server.fetch(url, None)
            trusted = Path(self.mktemp())
            authority.cert_pem.write_to_path(str(trusted))
            with patch.dict(os.environ, SSL_CERT_FILE=str(trusted)):
                self.assertEqual(b"/open/api/summary", server.fetch(url, None))

    def test_unreachable(self) -> None:
        """A server that cannot be reached is one sentence."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.assert_error("cannot connect to {}: Connection refused", f"http://127.0.0.1:{port}/")
        self.assert_error("cannot connect to {}: unknown host", "http://nowhere.invalid/")

    def test_no_server(self) -> None:
        """An answer that is none, or ends early, is one sentence."""
        for answer, reason in (
            (b"", "it closed the connection"),
            (b"hello\r\n", "hello"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "it ended too early"),
        ):
            with socket.create_server(("127.0.0.1", 0)) as listener:

                def hang_up(socket: socket.socket = listener, answer: bytes = answer) -> None:
                    with socket.accept()[0] as connection:
                        connection.recv(1 << 16)
                        connection.sendall(answer)

                hanging_up = Thread(target=hang_up)
                hanging_up.start()
                url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
                self.assert_error(f"unexpected answer from {{}}: {reason}", url)
                hanging_up.join()

    def test_silent(self) -> None:
        """A server that does not answer is given up after some seconds."""
        self.patch(server, "_TIMEOUT_S", 0.01)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            self.assert_error("no answer from {} within 0.01 s", url)

    def test_too_much(self) -> None:
        """An endless answer is given up."""
        self.patch(server, "LARGEST_SUMMARY", 3)
        with _serving() as place:
            self.assert_error("{} sends more than 0 MiB", f"http://{place}/open/")
