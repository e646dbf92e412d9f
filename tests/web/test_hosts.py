"""Tests of the names under which the server may be asked."""

from ipaddress import ip_network

from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.site import Access
from tests.web.served import Served

LOOPBACK_PROXY = (ip_network("127.0.0.1/32"),)


class HostTests(SynchronousTestCase):
    """The Host header."""

    def test_loopback(self) -> None:
        """Loopback names are always ours, with any port."""
        served = Served()
        for host in (
            "localhost",
            "LOCALHOST:1",
            "localhost.",
            "127.0.0.1:8080",
            "127.8.9.10",
            "[::1]:8080",
            "[::ffff:127.0.0.1]",
            # As the address of a server that listens everywhere is printed.
            "0.0.0.0:8080",
            "[::]:8080",
        ):
            self.assertEqual(200, served.get("/api/stats", {"Host": host}).status, host)

    def test_bound_address(self) -> None:
        """The address that the connection came to is ours, another one is not."""
        connection = Served().connect(bound="192.0.2.7")

        self.assertEqual(200, connection.get("/api/stats", {"Host": "192.0.2.7:80"}).status)
        self.assertEqual(403, connection.get("/api/stats", {"Host": "192.0.2.8:80"}).status)

    def test_rebinding(self) -> None:
        """A name that somebody else has pointed at us is refused, on every path but the probe's."""
        served = Served()
        for path in ("/", "/api/stats", "/metrics", "/stream", "/nothing", "/debug/pprof/cmdline"):
            response = served.get(path, {"Host": "evil.example"})
            self.assertEqual((403, "forbidden_host"), (response.status, response.json["error"]))

    def test_odd(self) -> None:
        """A Host that is no name and port is refused."""
        for host in (
            "[::1",
            "a@localhost",
            "localhost/x",
            "localhost?",
            "localhost#",
            "x y",
            ":80",
        ):
            self.assertEqual(403, Served().get("/api/stats", {"Host": host}).status, host)

    def test_probe(self) -> None:
        """/healthz is answered whatever a probe calls us, and whatever it says to have."""
        response = Served().get("/healthz", {"Host": "pod-7.example", "If-None-Match": "*"})

        self.assertEqual((200, b"ok"), (response.status, response.body))
        self.assertEqual("text/plain; charset=utf-8", response.headers["content-type"])

    def test_no_host(self) -> None:
        """A client that sends no Host is no browser."""
        self.assertEqual(200, Served().get("/api/stats", {"Host": ""}).status)

    def test_allowed(self) -> None:
        """A name that is allowed is ours, whatever its case."""
        served = Served(Access(allowed_hosts=frozenset({"watch.example"})))

        self.assertEqual(200, served.get("/api/stats", {"Host": "Watch.Example:443"}).status)
        self.assertEqual(403, served.get("/api/stats", {"Host": "x.watch.example"}).status)


class ProxyTests(SynchronousTestCase):
    """X-Forwarded-Host."""

    def setUp(self) -> None:
        """Have a server with a proxy and a name."""
        self.served = Served(
            Access(allowed_hosts=frozenset({"watch.example"}), trusted_proxies=LOOPBACK_PROXY)
        )

    def test_trusted(self) -> None:
        """A trusted proxy is believed, for good and for bad."""
        for name, status in (("watch.example", 200), ("evil.example", 403)):
            response = self.served.get("/api/stats", {"X-Forwarded-Host": name})
            self.assertEqual(status, response.status)

    def test_several(self) -> None:
        """With several proxies the first name is what the client asked for."""
        headers = {"X-Forwarded-Host": "watch.example, inner.example"}

        self.assertEqual(200, self.served.get("/api/stats", headers).status)

    def test_stranger(self) -> None:
        """Anybody else is not believed."""
        connection = self.served.connect(peer="192.0.2.66")
        headers = {"Host": "evil.example", "X-Forwarded-Host": "watch.example"}

        self.assertEqual(403, connection.get("/api/stats", headers).status)

    def test_without_proxy(self) -> None:
        """Without a trusted proxy the header means nothing."""
        headers = {"X-Forwarded-Host": "evil.example"}

        self.assertEqual(200, Served().get("/api/stats", headers).status)
