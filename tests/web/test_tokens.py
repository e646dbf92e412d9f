"""Tests of the token for all paths."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.settings.access import Access, Token
from tests.web.frames import UPGRADE, Listener
from tests.web.served import EXAMPLE, FakeSession, Served

CLOSED = (
    "/api",
    "/api/stats",
    "/api/syscall/read",
    "/api/openapi.json",
    "/metrics",
    "/readyz",
    "/debug/goroutines",
    "/debug/pprof/",
    "/nothing",
    "/api/syscall/%ff",
)


class HttpTokenTests(SynchronousTestCase):
    """A server with a token."""

    def setUp(self) -> None:
        """Create the server."""
        self.served = Served(Access(http_token=Token(b"sesame")))

    def test_closed(self) -> None:
        """All paths with data, and unknown ones, get the same response without the token."""
        responses = [self.served.get(path) for path in CLOSED]

        self.assertEqual({401}, {response.status for response in responses})
        self.assertEqual(1, len({response.body for response in responses}))
        self.assertEqual({"Bearer"}, {each.headers["www-authenticate"] for each in responses})

    def test_tells_nothing(self) -> None:
        """Without the token no response depends on the trace."""
        access = Access(http_token=Token(b"sesame"))
        empty = Served(access, FakeSession(Aggregator().snapshot()))
        odd = Delta(calls={"frobnicate": CallTally(count=1)})
        full = Served(access, FakeSession.of(EXAMPLE, odd))
        listed = full.get("/api?per_page=100", {"Authorization": "Bearer sesame"}).json["items"]
        templates = [item["path"] for item in listed]
        names = ("read", "fsync", "frobnicate", "", "%ff", "read/")
        paths = {each.replace("{name}", name) for each in templates for name in names}
        self.assertGreater(len(paths), len(templates))
        for path in sorted(paths):
            for method in ("GET", "HEAD", "POST", "OPTIONS"):
                for headers in ({}, {"If-None-Match": "*"}, {"Authorization": "Bearer x"}, UPGRADE):
                    answers = [each.get(path, headers, method) for each in (empty, full)]
                    for answer in answers:
                        answer.headers.pop("date", None)
                    self.assertEqual(answers[0], answers[1], (path, method, headers))

    def test_same_refusal(self) -> None:
        """A wrong token gets the same response as none."""
        wrong = ("", "Bearer sesam", "Bearer sesamee", "Basic c2VzYW1l", "sesame")
        bodies = {self.served.get("/api/stats", {"Authorization": each}).body for each in wrong}

        self.assertEqual(1, len(bodies))

    def test_query_is_not_enough(self) -> None:
        """Only the stream accepts a token in the query."""
        self.assertEqual(401, self.served.get("/api/stats?token=sesame").status)

    def test_open(self) -> None:
        """With the token all paths respond."""
        for path in ("/api/stats", "/metrics", "/api/syscall/read"):
            response = self.served.get(path, {"Authorization": "Bearer sesame"})
            self.assertEqual(200, response.status)

    def test_probe(self) -> None:
        """The liveness probe needs no token."""
        self.assertEqual(200, self.served.get("/healthz").status)

    def test_stream(self) -> None:
        """The stream needs the token, unless it has its own."""
        self.assertIn(b"401", Listener(self.served).head)
        self.assertIn(b"101", Listener(self.served, {"Authorization": "Bearer sesame"}).head)
        both = Served(Access(http_token=Token(b"sesame"), ws_token=Token(b"other")))
        self.assertIn(b"401", Listener(both, {"Authorization": "Bearer sesame"}).head)
        self.assertIn(b"101", Listener(both, {"Authorization": "Bearer other"}).head)
