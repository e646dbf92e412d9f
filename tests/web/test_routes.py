"""Tests of what pages of other origins get, and of what everybody else goes on getting."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.access import Access
from tests.web.served import Served

_LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
# What a browser sends for a page of another site, and for one on another port of this machine.
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
# Programs, our own pages, an address that was typed, and a proxy that knows us by another name.
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
    """What each kind of path answers to whom."""

    def setUp(self) -> None:
        """Serve."""
        self.served = Served()

    def test_foreign_pages(self) -> None:
        """A page of another origin, be it a port of this machine, loads no data."""
        for headers in _FOREIGN:
            for path in (*_DATA, *_COSTLY):
                response = self.served.get(path, headers)
                self.assertEqual(403, response.status, (path, headers))
                self.assertEqual("forbidden_origin", response.json["error"])

    def test_slot(self) -> None:
        """What is refused has not taken the place of a profile."""
        for headers in (*_FOREIGN, *_FOLLOWED):
            for path in _PROFILES:
                self.assertEqual(403, self.served.get(path, headers).status)
        connection = self.served.connect()

        self.assertEqual(b"", connection.send(b"GET /debug/pprof/heap HTTP/1.1\r\n\r\n"))
        self.assertEqual(409, self.served.get("/debug/pprof/heap").status)
        connection.lose()

    def test_ours(self) -> None:
        """Everybody else gets it."""
        for headers in _OURS:
            for path in (*_PUBLIC, *_DATA, "/debug/goroutines", "/debug/pprof/goroutine"):
                status = self.served.get(path, headers).status
                self.assertEqual(404 if path.endswith("opnat") else 200, status, (path, headers))

    def test_links(self) -> None:
        """A link that somebody follows leads to data, but starts nothing that costs."""
        for headers in _FOLLOWED:
            for path in (*_DATA, "/debug/pprof/", "/debug/pprof/cmdline"):
                self.assertEqual(200, self.served.get(path, headers).status, path)
            for path in _COSTLY:
                self.assertEqual(403, self.served.get(path, headers).status, path)

    def test_public(self) -> None:
        """What holds no data is refused to nobody."""
        for headers in (*_FOREIGN, *_FOLLOWED):
            for path in _PUBLIC:
                self.assertIn(self.served.get(path, headers).status, (200, 404), (path, headers))

    def test_allowed_pages(self) -> None:
        """A page of a host that is allowed by name may, as with the stream."""
        served = Served(Access(allowed_hosts=frozenset({"board.example"})))
        headers = {"Origin": "https://board.example", "Sec-Fetch-Site": "cross-site"}

        self.assertEqual(200, served.get("/api/stats", headers).status)

    def test_every_path(self) -> None:
        """Of all that the index lists, foreign pages and links get nothing but what is known to."""
        listed = self.served.get("/api?per_page=100").json["items"]
        templates = {item["path"] for item in listed} - {"/stream"}
        paths = {each: each.replace("{name}", "read") for each in templates}
        image, link = _FOREIGN[5], _FOLLOWED[0]

        loaded = {each for each in templates if self.served.get(paths[each], image).status != 403}
        followed = {each for each in templates if self.served.get(paths[each], link).status != 403}

        self.assertEqual({"/", "/syscall/{name}", "/static/{name}", "/healthz"}, loaded)
        self.assertEqual(templates - set(_COSTLY), followed)
