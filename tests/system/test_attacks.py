"""Tests of the service under attack: it keeps answering and frees all resources."""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import (
    LOG,
    PATIENCE_S,
    SYSWATCH,
    TWISTD,
    Server,
    running,
    serving,
    wait_for,
)
from tests.web.frames import UPGRADE, VIOLATIONS
from tests.web.served import request

SLOW, IDLE = 300, 2_000
_MEMORY_MB = 20
_HEALTHY = (200, b"ok")


@contextmanager
def probed(test: SynchronousTestCase, server: Server) -> Iterator[None]:
    """Probe the server during an attack, and check afterwards that nothing is left of it."""
    before_mb = server.resident_mb
    answers: list[object] = []
    over = threading.Event()

    def probe() -> None:
        # Again at the end, so that a short attack is probed at all.
        is_last = False
        while not is_last:
            is_last = over.wait(0.01)
            answers.append(server.ask("/healthz"))

    prober = threading.Thread(target=probe)
    prober.start()
    try:
        yield
    finally:
        over.set()
        prober.join()
    test.assertEqual([_HEALTHY] * len(answers), answers)
    wait_for(lambda: server.resident_mb < before_mb + _MEMORY_MB)
    server.end()
    test.assertNotIn(b"Traceback", server.output)


def exchange(server: Server, data: bytes) -> bytes:
    """Send a last request; return everything that is received."""
    if b"Upgrade" not in data:
        data = data.replace(b"HTTP/1.1\r\n", b"HTTP/1.1\r\nConnection: close\r\n")
    with server.connect() as client:
        client.settimeout(PATIENCE_S)
        with contextlib.suppress(OSError):
            client.sendall(data)
        answer = b""
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                answer += data
                if b"Upgrade" in answer or answer.startswith(b"HTTP/1.1 403"):
                    break
        return answer


class ManyConnectionsTests(SynchronousTestCase):
    """Clients that keep connections open and do little with them."""

    def hold(self, server: Server, number: int, data: bytes) -> list[socket.socket]:
        """Open many connections and send a few bytes on each."""
        clients = []
        for _ in range(number):
            client = server.connect()
            self.addCleanup(client.close)
            client.sendall(data)
            clients.append(client)
        return clients

    def test_slowloris(self) -> None:
        """Requests that never end do not block other clients."""
        with serving() as server, probed(self, server):
            clients = self.hold(server, SLOW, b"GET /api/stats HTTP/1.1\r\nHost: localhost\r\n")
            for _ in range(5):
                for client in clients:
                    client.sendall(b"X-Header: more\r\n")
                self.assertEqual(_HEALTHY, server.ask("/healthz"))
            for client in clients:
                client.close()

    def test_slow_bodies(self) -> None:
        """Request bodies that never end do not block other clients."""
        raw = request("/api/stats", {"Content-Length": "1000000000"}, "POST")
        with serving() as server, probed(self, server):
            clients = self.hold(server, SLOW, raw)
            for _ in range(5):
                for client in clients:
                    client.sendall(b"x" * 1000)
                self.assertEqual(_HEALTHY, server.ask("/healthz"))
            for client in clients:
                client.close()

    def test_idle(self) -> None:
        """Thousands of silent connections do not block other clients."""
        with serving() as server, probed(self, server):
            clients = self.hold(server, IDLE, b"")
            self.assertEqual(_HEALTHY, server.ask("/healthz"))
            for client in clients:
                client.close()

    def test_come_and_go(self) -> None:
        """Stream clients that disconnect at once do not block other clients."""
        with serving() as server:
            # What the stream needs is imported for the first client, and stays.
            self.come_and_go(server, 1)
            with probed(self, server):
                for _ in range(5):
                    self.come_and_go(server, 100)

    def come_and_go(self, server: Server, count: int) -> None:
        """Connect stream clients, and disconnect them at once."""
        for client in self.hold(server, count, request("/stream", UPGRADE)):
            client.close()
        wait_for(lambda: b"syswatch_ws_clients 0.0" in server.ask("/metrics")[1])


class NonsenseTests(SynchronousTestCase):
    """Malformed and oversized requests."""

    def attack(self, *requests: bytes, status: bytes = b" ") -> None:
        """Send requests; check that every answer is HTTP without a traceback or a 5xx status."""
        with serving() as server, probed(self, server):
            for raw in requests:
                answer = exchange(server, raw)
                self.assertTrue(
                    answer.startswith((b"HTTP/1.1 ", b"HTTP/1.0 ")), (raw[:80], answer[:80])
                )
                self.assertNotIn(b" 500 ", answer.partition(b"\r\n")[0], raw[:80])
                self.assertNotIn(b"Processing Failed", answer)
                self.assertNotIn(b"Traceback", answer)
                if not raw.startswith((b"GET /syscall/", b"GET / ")):
                    self.assertIsNone(re.search(rb"(?i)<html", answer), (raw[:80], answer[:300]))
                self.assertNotIn(b"root:", answer)
                self.assertIn(status, answer[:16])

    def test_headers(self) -> None:
        """Huge headers and very many headers are refused."""
        self.attack(
            request("/api/stats", {"X": "a" * 1_000_000}),
            request("/api/stats", {"Cookie": "a=b; " * 100_000}),
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
            request("/api/stats", {"Accept-Encoding": "gzip;q=nan, ;;,,=" * 500}),
            request("/metrics", {"Accept": "application/openmetrics-text;version=" + "9" * 5_000}),
            request("/metrics", {"Accept": ";;;,,,;q=x"}),
            request("/api/stats", {"If-None-Match": '"' * 5_000, "If-Modified-Since": "x"}),
        )

    def test_bodies(self) -> None:
        """Unexpected bodies and malformed chunks are refused."""
        self.attack(
            request("/api/stats", {"Content-Length": "5"}) + b"hello",
            request("/api/stats", {"Content-Length": "10000000"}, "POST") + b"x" * 10_000_000,
            request("/api/stats", {"Transfer-Encoding": "chunked"}, "POST")
            + b"5\r\nhello\r\n0\r\n\r\n",
            request("/api/stats", {"Transfer-Encoding": "chunked"}) + b"5\r\nhelloxx0\r\n\r\n",
            request("/api/stats", {"Transfer-Encoding": "chunked"}) + b"-1\r\n\r\n",
            request("/api/stats", {"Transfer-Encoding": "chunked", "Content-Length": "3"}) + b"abc",
        )

    def test_versions(self) -> None:
        """Other versions of HTTP, and data that is not HTTP, are refused."""
        self.attack(
            b"GET /healthz HTTP/1.0\r\n\r\n",
            b"GET /healthz HTTP/9.9\r\n\r\n",
            b"GET /healthz\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"\x16\x03\x01\x00\xf4\x01\x00\x00\xf0\x03\x03\r\n\r\n",
            b"\0" * 20_000,
            b"\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n",
        )

    def test_pipelining(self) -> None:
        """A thousand pipelined requests of a client that does not read are handled."""
        with serving() as server, probed(self, server):
            last = request("/healthz", {"Connection": "close"})
            with server.connect() as client:
                client.sendall(request("/healthz") * 999 + last)
                answer = b"".join(iter(lambda: client.recv(65_536), b""))
            self.assertEqual(1_000, answer.count(b"200 OK"))
            with server.connect() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                with contextlib.suppress(OSError):
                    client.sendall(request("/metrics") * 5_000)
                self.assertLess(server.resident_mb, 150)

    def test_paths(self) -> None:
        """Paths that leave the tree, hold NULs or encoded slashes, or are long get an error."""
        self.attack(
            *(
                request(path.encode().decode("latin-1"))
                for path in (
                    "/../../../../etc/passwd",
                    "/static/../../../etc/passwd",
                    "/static/..%2f..%2f..%2fetc/passwd",
                    "/static/%2e%2e/%2e%2e/etc/passwd",
                    "/static/%00",
                    "/api/syscall/%00",
                    "/api/syscall/read%00",
                    "/api/syscall/a%2fb",
                    "/api/syscall/" + "a" * 10_240,
                    "/syscall/" + "%C3%A9" * 1_500,
                    "/syscall/%E2%98%83",
                    "/syscall/%ff%fe",
                    "/syscall/<script>alert(1)</script>",
                    "/api/dashboard/%ff",
                    "/☃",
                    "http://evil.example/api/stats",
                    "*",
                    "/api/files?limit=" + "9" * 5_000,
                    "/api/files?limit=%ff&limit=-1&limit=1e9",
                    "/api?page=" + "9" * 18,
                    "/api?" + "&" * 10_000,
                    "/debug/pprof/profile?seconds=nan",
                )
            ),
        )

    def test_frames(self) -> None:
        """Stream clients that send malformed frames are disconnected, and cannot fill the log."""
        log_to_stderr = ["-n", "--pidfile=", "--logger", "syswatch.app.logs.json_lines"]
        command = [*TWISTD, *log_to_stderr, "syswatch", "stats", "--serve", ":0", str(LOG)]
        with running(command) as server, probed(self, server):
            for frame, _ in VIOLATIONS * 5:
                with server.connect() as client:
                    client.sendall(request("/stream", UPGRADE))
                    # Frames before the answer are ignored.
                    self.assertIn(b" 101 ", client.recv(65_536))
                    client.sendall(frame)
                    # Up to the end of the connection.
                    while client.recv(65_536):
                        pass
            wait_for(lambda: b"syswatch_ws_clients 0.0" in server.ask("/metrics")[1])
        self.assertLess(server.output.count(b"\n"), 5 * len(VIOLATIONS), server.output)

    def test_other_sites(self) -> None:
        """Pages of other origins get no data, whichever host name they use."""
        self.attack(
            request("/api/stats", {"Host": "evil.example"}),
            request("/stream", {**UPGRADE, "Host": "evil.example"}),
            request("/stream", {**UPGRADE, "Origin": "https://evil.example"}),
            request("/stream", {**UPGRADE, "Origin": "null"}),
            status=b"403",
        )

    def test_guessed_tokens(self) -> None:
        """The answer to a wrong token is the same, however close the guess is."""
        guesses = [
            b"",
            b"s",
            b"sesam",
            b"sesamf",
            b"SESAME",
            b"sesamesesame",
            b'"sesame"',
            b"0" * 6,
        ]
        guesses += [b"\xff\xfe", b"\xc3\xa9", b"a" * 10_000, b"se\tsame", b"sesame, sesame"]
        guesses += [b"%d" % number for number in range(300)]
        command = [*SYSWATCH, "stats", "--serve", ":0", "--http-token", "sesame", str(LOG)]
        raw = request("/api/stats")
        with running(command) as server, probed(self, server):
            answers = set()
            for guess in guesses:
                bearer = b"\r\nAuthorization: Bearer " + guess + b"\r\n"
                answer = exchange(server, raw.replace(b"\r\n", bearer, 1))
                answers.add(re.sub(rb"Date: [^\r]*", b"", answer))
            self.assertEqual(1, len(answers), answers)
            self.assertTrue(answers.pop().startswith(b"HTTP/1.1 401 "))
