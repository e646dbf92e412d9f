"""Tests of clients that violate the WebSocket protocol: they get a close code, not a reset."""

import socket
import ssl
from pathlib import Path

import trustme
from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, Server, running, serving
from tests.web.frames import CLOSE, UPGRADE, VIOLATIONS, Frame, frames
from tests.web.served import request

# More than is read at once, so that data is unread when the connection ends.
_REST = b"\0" * 200_000


class ViolationTests(SynchronousTestCase):
    """Failing a connection, as defined by RFC 6455."""

    def upgrade(self, client: socket.socket) -> bytes:
        """Upgrade a connection; return the data that follows the answer's head."""
        client.settimeout(PATIENCE_S)
        client.sendall(request("/stream", UPGRADE))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += client.recv(65_536)
        head, _, rest = answer.partition(b"\r\n\r\n")
        self.assertIn(b" 101 ", head.partition(b"\r\n")[0])
        return rest

    def last_frame(self, client: socket.socket, received: bytes) -> Frame:
        """Read until the connection is closed without a reset; return the last frame."""
        while data := client.recv(65_536):
            received += data
        return list(frames(received))[-1]

    def check(self, server: Server, sent: bytes, code: int, *, ending: bool = False) -> None:
        """Send a violation; check the close code."""
        with server.connect() as client:
            received = self.upgrade(client)
            client.sendall(sent)
            if ending:
                client.shutdown(socket.SHUT_WR)
            frame = self.last_frame(client, received)
            self.assertEqual((CLOSE, code), (frame.kind, frame.close_code), sent[:20])

    def test_told(self) -> None:
        """The client gets a close frame with the right code, and then the end."""
        with serving() as server:
            for sent, code in VIOLATIONS:
                self.check(server, sent, code)

    def test_told_half_closed(self) -> None:
        """A client that shuts down its sending half gets the close frame, too."""
        with serving() as server:
            for sent, code in VIOLATIONS:
                self.check(server, sent, code, ending=True)

    def test_told_while_sending(self) -> None:
        """A client that is still sending gets the close frame, too."""
        with serving() as server:
            for ending in (False, True):
                self.check(server, b"\x81\x03abc" + _REST, 1002, ending=ending)

    def test_orderly(self) -> None:
        """A client that closes properly gets the answer, and then the end."""
        with serving() as server:
            self.check(server, b"\x88\x82\0\0\0\0\x03\xe8", 1000)
            with server.connect() as client:
                received = self.upgrade(client)
                server.process.terminate()
                while not received.endswith(b"going away"):
                    received += client.recv(65_536)
                client.sendall(b"\x88\x82\0\0\0\0\x03\xe9")
                self.assertEqual(1001, self.last_frame(client, received).close_code)

    def test_told_over_tls(self) -> None:
        """The same holds over TLS."""
        authority = trustme.CA()
        issued = authority.issue_cert("localhost")
        key = Path(self.mktemp()).absolute()
        issued.private_key_and_cert_chain_pem.write_to_path(key)
        tls = ssl.create_default_context()
        authority.configure_trust(tls)
        address = f"ssl:0:interface=127.0.0.1:privateKey={key}"
        with running([*SYSWATCH, "stats", "--serve", address, str(LOG)]) as server:
            for sent, code in VIOLATIONS:
                with (
                    server.connect() as plain,
                    tls.wrap_socket(plain, server_hostname="localhost") as client,
                ):
                    received = self.upgrade(client)
                    client.sendall(sent)
                    frame = self.last_frame(client, received)
                    self.assertEqual((CLOSE, code), (frame.kind, frame.close_code), sent[:20])
