"""Tests of clients that end their half of a connection, in good faith or for good."""

import re
import socket

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, Server, serving, wait_for
from tests.web.served import request


def exchange(server: Server, path: str) -> bytes:
    """Ask for a path, say that this is all, and return what comes back."""
    with server.connect() as client:
        client.sendall(request(path))
        client.shutdown(socket.SHUT_WR)
        client.settimeout(PATIENCE_S)
        answer = b""
        while data := client.recv(65_536):
            answer += data
    return answer


class HalfClosedTests(SynchronousTestCase):
    """What `printf 'GET /healthz HTTP/1.1…' | nc` does."""

    def test_answered(self) -> None:
        """Whoever has said all that it has to say gets the whole answer."""
        with serving() as server:
            for path in ("/healthz", "/api/syscall/openat", "/api/dashboard?with=log", "/nothing"):
                head, _, body = exchange(server, path).partition(b"\r\n\r\n")
                length = re.search(rb"Content-Length: ([0-9]+)", head)
                assert length is not None, (path, head)
                self.assertEqual(int(length[1]), len(body), path)

    def test_gone(self) -> None:
        """Nothing is gone on with for a client that has left."""
        with serving() as server:
            with server.connect() as client:
                client.sendall(request("/debug/pprof/profile?seconds=300"))
                wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 409)
            wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 200)
