"""Tests of a server that may open few files, with many clients that hold on to theirs."""

import contextlib
import resource
import socket

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG, SYSWATCH, Server, running, wait_for
from tests.web.frames import UPGRADE
from tests.web.served import request

# What the server needs itself is a fifth of it.
FILES = 64


def limit() -> None:
    """Let a process open few files, and never more."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


class FewFilesTests(SynchronousTestCase):
    """Those who hold files keep nobody else away."""

    def setUp(self) -> None:
        """Have such a server."""
        command = [*SYSWATCH, "stats", "--serve", ":0", str(LOG)]
        self.server: Server = self.enterContext(running(command, preexec_fn=limit))

    def hold(self, data: bytes) -> socket.socket:
        """Open a connection, send something, and hold on to it."""
        client = self.server.connect()
        self.addCleanup(client.close)
        client.sendall(data)
        return client

    def crowd(self, data: bytes) -> None:
        """Be many who do this, until the server has seen them all."""
        for _ in range(4 * FILES):
            self.hold(data)
        # Those whom there was no file for at that moment were sent away, and so may we be.
        wait_for(self.answers)

    def answers(self) -> bool:
        """Say whether anything comes back."""
        try:
            self.server.ask("/healthz")
        except OSError:
            return False
        return True

    def is_full(self) -> bool:
        """Ask to listen, and hold on to that; say whether there is no more room."""
        client = self.hold(request("/stream", UPGRADE))
        with contextlib.suppress(ConnectionResetError):
            return client.recv(100).startswith(b"HTTP/1.1 503 ")
        return False

    def test_silent(self) -> None:
        """A probe is answered though many say nothing."""
        self.crowd(b"")
        self.assertEqual([(200, b"ok")] * 5, [self.server.ask("/healthz") for _ in range(5)])

    def test_listening(self) -> None:
        """So it is though many listen: for them, too, there is a bound, which is said."""
        self.crowd(request("/stream", UPGRADE))
        listening = f"syswatch_ws_clients {FILES // 2}.0".encode()
        # Of those who came all at once some went before they were listened to, and some may be
        # dropped by now, as they do not read.
        wait_for(lambda: self.is_full() and listening in self.server.ask("/metrics")[1])

        self.assertEqual([(200, b"ok")] * 5, [self.server.ask("/healthz") for _ in range(5)])
        self.server.end()
        self.assertIn(f"at most {FILES // 2} clients can listen".encode(), self.server.output)
        self.assertNotIn(b"Traceback", self.server.output)
