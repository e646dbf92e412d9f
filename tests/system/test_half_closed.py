"""Tests of clients that shut down their sending half of a connection."""

import re
import socket

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, Server, serving, wait_for
from tests.web.served import request


def exchange(server: Server, path: str, times: int = 1) -> bytes:
    """Send a request, shut down the sending half, and return the answer."""
    with server.connect() as client:
        client.sendall(request(path) * times)
        client.shutdown(socket.SHUT_WR)
        client.settimeout(PATIENCE_S)
        answer = b""
        while data := client.recv(65_536):
            answer += data
    return answer


class HalfClosedTests(SynchronousTestCase):
    """Clients such as `printf 'GET /healthz HTTP/1.1…' | nc`."""

    def test_answered(self) -> None:
        """A client that has finished sending gets the whole answer."""
        with serving() as server:
            for path in ("/healthz", "/api/syscall/openat", "/api/dashboard?with=log", "/nothing"):
                head, _, body = exchange(server, path).partition(b"\r\n\r\n")
                length = re.search(rb"Content-Length: ([0-9]+)", head)
                assert length is not None, (path, head)
                self.assertEqual(int(length[1]), len(body), path)

    def test_all_answered(self) -> None:
        """Many pipelined requests are answered, even if the answers exceed all buffers."""
        with serving() as server:
            for path, times in (("/healthz", 1_000), ("/api/dashboard?with=log", 100)):
                answer = exchange(server, path, times)
                self.assertEqual(times, answer.count(b"HTTP/1.1 200"), path)
                self.assertEqual(0, len(answer) % times, path)

    def test_nothing_begun(self) -> None:
        """A request that takes time is not started, and later ones are not answered."""
        with serving() as server, server.connect() as client:
            profile = request("/debug/pprof/profile?seconds=300")
            client.sendall(request("/api/log") * 10 + profile + request("/api/log"))
            client.shutdown(socket.SHUT_WR)
            client.settimeout(PATIENCE_S)
            answer = b"".join(iter(lambda: client.recv(65_536), b""))
            self.assertEqual(10, answer.count(b"HTTP/1.1 200"))
            wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 200)

    def test_gone(self) -> None:
        """Work for a client that has disconnected is stopped."""
        with serving() as server:
            with server.connect() as client:
                client.sendall(request("/debug/pprof/profile?seconds=300"))
                wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 409)
            wait_for(lambda: server.ask("/debug/pprof/block?seconds=1")[0] == 200)
