"""Tests of a server with a low limit of open files and many persistent clients."""

import contextlib
import resource
import socket

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG, SYSWATCH, Server, running, wait_for
from tests.web.frames import UPGRADE
from tests.web.served import request

# The server itself needs a fifth of it.
FILES = 64


def limit() -> None:
    """Lower the limit of open files of a process."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


class FewFilesTests(SynchronousTestCase):
    """Clients that keep connections open do not lock out others."""

    def setUp(self) -> None:
        """Start such a server."""
        command = [*SYSWATCH, "stats", "--serve", ":0", str(LOG)]
        self.server: Server = self.enterContext(running(command, preexec_fn=limit))

    def hold(self, data: bytes) -> socket.socket:
        """Open a connection, send data, and keep it open."""
        client = self.server.connect()
        self.addCleanup(client.close)
        client.sendall(data)
        return client

    def crowd(self, data: bytes) -> None:
        """Open many such connections, until the server has accepted or refused them all."""
        for _ in range(4 * FILES):
            self.hold(data)
        # Clients are refused while there is no descriptor for them, and so may this one be.
        wait_for(self.answers)

    def answers(self) -> bool:
        """Return whether there is an answer."""
        try:
            self.server.ask("/healthz")
        except OSError:
            return False
        return True

    def is_full(self) -> bool:
        """Connect to the stream and stay; return whether the limit of clients is reached."""
        client = self.hold(request("/stream", UPGRADE))
        with contextlib.suppress(ConnectionResetError):
            return client.recv(100).startswith(b"HTTP/1.1 503 ")
        return False

    def test_silent(self) -> None:
        """A probe is answered while many connections are silent."""
        self.crowd(b"")
        self.assertEqual([(200, b"ok")] * 5, [self.server.ask("/healthz") for _ in range(5)])

    def test_listening(self) -> None:
        """A probe is answered while many clients listen; their limit is reported."""
        self.crowd(request("/stream", UPGRADE))
        listening = f"syswatch_ws_clients {FILES // 2}.0".encode()
        # Some of the clients disconnected before they were accepted, and others may have been
        # dropped because they do not read.
        wait_for(lambda: self.is_full() and listening in self.server.ask("/metrics")[1])

        self.assertEqual([(200, b"ok")] * 5, [self.server.ask("/healthz") for _ in range(5)])
        self.server.end()
        self.assertIn(f"at most {FILES // 2} clients can connect".encode(), self.server.output)
        self.assertNotIn(b"Traceback", self.server.output)
