"""Tests of the Host header."""

from ipaddress import ip_network

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.access import Access
from tests.web.served import Response, Served, request

LOOPBACK_PROXY = (ip_network("127.0.0.1/32"),)


class HostTests(SynchronousTestCase):
    """The names of the server."""

    def test_loopback(self) -> None:
        """Loopback names are accepted with any port."""
        served = Served()
        for host in (
            "localhost",
            "LOCALHOST:1",
            "localhost.",
            "127.0.0.1:8080",
            "127.8.9.10",
            "[::1]:8080",
            "[::ffff:127.0.0.1]",
            "[::1%lo]:8080",
            "[0:0::0:1]",
            "localhost:",
            # The address that is printed for a server that listens on all interfaces.
            "0.0.0.0:8080",
            "[::]:8080",
        ):
            self.assertEqual(200, served.get("/api/stats", {"Host": host}).status, host)

    def test_bound_address(self) -> None:
        """The address of the connection is accepted, another one is not."""
        connection = Served().connect(bound="192.0.2.7")

        self.assertEqual(200, connection.get("/api/stats", {"Host": "192.0.2.7:80"}).status)
        self.assertEqual(403, connection.get("/api/stats", {"Host": "192.0.2.8:80"}).status)

    def test_rebinding(self) -> None:
        """A foreign name for this machine is refused on all paths but that of the probe."""
        served = Served()
        for path in ("/", "/api/stats", "/metrics", "/stream", "/nothing", "/debug/pprof/cmdline"):
            response = served.get(path, {"Host": "evil.example"})
            self.assertEqual((403, "forbidden_host"), (response.status, response.json["error"]))

    def test_odd(self) -> None:
        """A Host that is not a name and port is malformed, also for a probe."""
        for host in (
            "[::1",
            "::1",
            "[::1%lo]evil",
            "[::1]evil",
            "[evil]",
            "[127.0.0.1]",
            "[]",
            "a@localhost",
            "@localhost",
            "a:b@localhost:80",
            "localhost/x",
            "localhost?",
            "localhost#",
            "localhost\\x",
            "http://localhost",
            "localhost,evil",
            "localhost, localhost",
            "x y",
            "localhost\t8080",
            ":80",
            ".",
            "localhost:x",
            "localhost:80x",
            "localhost:-1",
            "localhost:80:80",
            "localhost:65536",
            "localhost:999999",
            "l\xf6calhost",
            "%6cocalhost",
            "localhost\x01",
        ):
            for path in ("/api/stats", "/stream", "/healthz", "/nothing"):
                response = Served().get(path, {"Host": host})
                self.assertEqual(400, response.status, host)
                self.assertEqual("bad_request", response.json["error"])

    def test_empty(self) -> None:
        """An empty Host is malformed."""
        raw = b"GET /api/stats HTTP/1.1\r\nHost:\r\n\r\n"

        self.assertEqual(400, Response.of(Served().connect().send(raw)).status)

    def test_several(self) -> None:
        """More than one Host is refused, whatever the values and the target."""
        own, foreign = b"Host: localhost\r\n", b"Host: evil.example\r\n"
        for lines in (own + own, own + foreign, foreign + own, own + b"X: y\r\n" + own.lower()):
            for target in (b"/api/stats", b"/healthz", b"/stream", b"http://localhost/api/stats"):
                raw = b"GET " + target + b" HTTP/1.1\r\n" + lines + b"\r\n"
                response = Response.of(Served().connect().send(raw))
                self.assertEqual((400, "bad_request"), (response.status, response.json["error"]))

    def test_odd_and_strange(self) -> None:
        """Unusual but valid names are forbidden, not malformed."""
        for host in ("localhost..", "localhost.evil", "xn--lcalhost-n4a", "2130706433", "a_b", "-"):
            self.assertEqual(403, Served().get("/api/stats", {"Host": host}).status, host)

    def test_probe(self) -> None:
        """/healthz responds whatever the Host header contains."""
        response = Served().get("/healthz", {"Host": "pod-7.example", "If-None-Match": "*"})

        self.assertEqual((200, b"ok"), (response.status, response.body))
        self.assertEqual("text/plain; charset=utf-8", response.headers["content-type"])

    def test_no_host(self) -> None:
        """HTTP/1.1 requires a Host header, except for probes; HTTP/1.0 does not."""
        for first, status in (
            (b"GET /api/stats HTTP/1.1", 400),
            (b"GET /nothing HTTP/1.1", 400),
            (b"GET /stream HTTP/1.1", 400),
            (b"GET /healthz HTTP/1.1", 200),
            (b"GET http://localhost/api/stats HTTP/1.1", 200),
            (b"GET /api/stats HTTP/1.0", 200),
        ):
            response = Response.of(Served().connect().send(first + b"\r\n\r\n"))
            self.assertEqual(status, response.status, first)

    def test_allowed(self) -> None:
        """An allowed name is accepted in any case."""
        served = Served(Access(allowed_hosts=frozenset({"watch.example"})))

        self.assertEqual(200, served.get("/api/stats", {"Host": "Watch.Example:443"}).status)
        self.assertEqual(403, served.get("/api/stats", {"Host": "x.watch.example"}).status)


class ProxyTests(SynchronousTestCase):
    """X-Forwarded-Host."""

    def setUp(self) -> None:
        """Create a server with a trusted proxy and an allowed name."""
        self.served = Served(
            Access(allowed_hosts=frozenset({"watch.example"}), trusted_proxies=LOOPBACK_PROXY)
        )

    def test_trusted(self) -> None:
        """The header of a trusted proxy decides, both ways."""
        for name, status in (("watch.example", 200), ("evil.example", 403)):
            response = self.served.get("/api/stats", {"X-Forwarded-Host": name})
            self.assertEqual(status, response.status)

    def test_several(self) -> None:
        """Of several names, the first is the client's."""
        headers = {"X-Forwarded-Host": "watch.example, inner.example"}

        self.assertEqual(200, self.served.get("/api/stats", headers).status)

    def test_several_lines(self) -> None:
        """Several headers form one list."""
        headers = b"X-Forwarded-Host: watch.example\r\nX-Forwarded-Host: inner.example\r\n"
        raw = request("/api/stats").replace(b"\r\n", b"\r\n" + headers, 1)

        self.assertEqual(200, Response.of(self.served.connect().send(raw)).status)

    def test_malformed(self) -> None:
        """A malformed name from a trusted proxy is refused."""
        for name in ("a@watch.example", "[::1%lo]evil", "watch.example:x"):
            response = self.served.get("/api/stats", {"X-Forwarded-Host": name})
            self.assertEqual(400, response.status, name)

    def test_stranger(self) -> None:
        """The header of other clients is ignored."""
        connection = self.served.connect(peer="192.0.2.66")
        headers = {"Host": "evil.example", "X-Forwarded-Host": "watch.example"}

        self.assertEqual(403, connection.get("/api/stats", headers).status)

    def test_without_proxy(self) -> None:
        """Without a trusted proxy the header is ignored."""
        headers = {"X-Forwarded-Host": "evil.example"}

        self.assertEqual(200, Served().get("/api/stats", headers).status)
