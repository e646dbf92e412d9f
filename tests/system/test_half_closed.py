"""Tests of clients that end their half of a connection, in good faith or for good."""

import re
import socket

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, Server, serving, wait_for
from tests.web.served import request


def exchange(server: Server, path: str, times: int = 1) -> bytes:
    """Ask for a path, say that this is all, and return what comes back."""
    with server.connect() as client:
        client.sendall(request(path) * times)
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

    def test_all_answered(self) -> None:
        """It may have asked many times, for more than fits anywhere at once."""
        with serving() as server:
            for path, times in (("/healthz", 1_000), ("/api/dashboard?with=log", 100)):
                answer = exchange(server, path, times)
                self.assertEqual(times, answer.count(b"HTTP/1.1 200"), path)
                self.assertEqual(0, len(answer) % times, path)

    def test_nothing_begun(self) -> None:
        """What takes time is not begun, and what stands behind it is not answered."""
        with serving() as server, server.connect() as client:
            profile = request("/debug/pprof/profile?seconds=300")
            client.sendall(request("/api/log") * 10 + profile + request("/api/log"))
            client.shutdown(socket.SHUT_WR)
            client.settimeout(PATIENCE_S)
            answer = b"".join(iter(lambda: client.recv(65_536), b""))
            self.assertEqual(10, answer.count(b"HTTP/1.1 200"))
            wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 200)

    def test_gone(self) -> None:
        """Nothing is gone on with for a client that has left."""
        with serving() as server:
            with server.connect() as client:
                client.sendall(request("/debug/pprof/profile?seconds=300"))
                wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 409)
            wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 200)
