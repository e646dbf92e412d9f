"""Tests of the exposure of paths to pages of other origins."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.access import Access
from tests.web.served import Served, request

_LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
# Requests caused by a page of another site, or of another port of this machine.
_FOREIGN = (
    {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-site"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site", **_LINK},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "nonsense"},
)
# Requests by programs, own pages, typed addresses, and through a proxy with another name.
_OURS: tuple[dict[str, str], ...] = (
    {},
    {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Sec-Fetch-Site": "none", **_LINK},
    {"Origin": "http://127.0.0.1:8080"},
    {"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "same-origin", "X-Forwarded-Host": "watch.example"},
)
_FOLLOWED = ({"Sec-Fetch-Site": "cross-site", **_LINK}, {"Sec-Fetch-Site": "same-site", **_LINK})
_PUBLIC = ("/", "/syscall/read", "/syscall/opnat", "/static/look.css", "/healthz")
_DATA = (
    "/api",
    "/api/",
    "/api/stats",
    "/api/syscall/read",
    "/api/dashboard",
    "/metrics",
    "/readyz",
)
_PROFILES = tuple(f"/debug/pprof/{kind}" for kind in ("profile", "heap", "block", "trace"))
_COSTLY = (*_PROFILES, "/debug/pprof/goroutine", "/debug/pprof/threadcreate", "/debug/goroutines")


class ExposureTests(SynchronousTestCase):
    """The response of each kind of path by origin."""

    def setUp(self) -> None:
        """Create a server."""
        self.served = Served()

    def test_foreign_pages(self) -> None:
        """A page of another origin, even on another port of this machine, loads no data."""
        for headers in _FOREIGN:
            for path in (*_DATA, *_COSTLY):
                response = self.served.get(path, headers)
                self.assertEqual(403, response.status, (path, headers))
                self.assertEqual("forbidden_origin", response.json["error"])

    def test_slot(self) -> None:
        """A refused request does not block profiles."""
        for headers in (*_FOREIGN, *_FOLLOWED):
            for path in _PROFILES:
                self.assertEqual(403, self.served.get(path, headers).status)
        connection = self.served.connect()

        self.assertEqual(b"", connection.send(request("/debug/pprof/heap")))
        self.assertEqual(409, self.served.get("/debug/pprof/heap").status)
        connection.lose()

    def test_ours(self) -> None:
        """Other clients get all paths."""
        for headers in _OURS:
            for path in (*_PUBLIC, *_DATA, "/debug/goroutines", "/debug/pprof/goroutine"):
                status = self.served.get(path, headers).status
                self.assertEqual(404 if path.endswith("opnat") else 200, status, (path, headers))

    def test_links(self) -> None:
        """A followed link may lead to data but cannot start anything costly."""
        for headers in _FOLLOWED:
            for path in (*_DATA, "/debug/pprof/", "/debug/pprof/cmdline"):
                self.assertEqual(200, self.served.get(path, headers).status, path)
            for path in _COSTLY:
                self.assertEqual(403, self.served.get(path, headers).status, path)

    def test_public(self) -> None:
        """Public paths are open to all pages."""
        for headers in (*_FOREIGN, *_FOLLOWED):
            for path in _PUBLIC:
                self.assertIn(self.served.get(path, headers).status, (200, 404), (path, headers))

    def test_allowed_pages(self) -> None:
        """Pages of an allowed host may load data."""
        served = Served(Access(allowed_hosts=frozenset({"board.example"})))
        headers = {"Origin": "https://board.example", "Sec-Fetch-Site": "cross-site"}

        self.assertEqual(200, served.get("/api/stats", headers).status)
