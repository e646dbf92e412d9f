"""Tests of routing: unusual paths and methods, and handlers called without Klein."""

from typing import cast
from unittest import mock

import attrs
from twisted.trial.unittest import SynchronousTestCase
from twisted.web.resource import IResource

from syswatch.settings.access import Access
from syswatch.web import handlers
from tests.web.frames import Listener
from tests.web.served import Response, Served


class PathTests(SynchronousTestCase):
    """Paths that are not in the index."""

    def test_nothing_there(self) -> None:
        """An unknown path gets 404 as JSON, however it is written."""
        for path in (
            "/nothing",
            "/api//stats",
            "/../etc/passwd",
            "/static/../../../etc/passwd",
            "/static/..%2f..%2fetc%2fpasswd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/api/syscall/",
            "/api/syscall/a%2fb",
            "/api/syscall/%00",
            "/api/syscall/%C3%BC",
            "/api/syscall/" + "a" * 10_000,
            "/api/syscall/<script>alert(1)</script>",
        ):
            response = Served().get(path)
            self.assertEqual(404, response.status, path)
            self.assertEqual("application/json", response.headers["content-type"], path)
            self.assertLess(len(response.body), 400)

    def test_no_text(self) -> None:
        """A path that is not UTF-8 gets 400 as JSON, and nothing is logged."""
        for path in ("/api/syscall/%ff", "/%80", "/api/dashboard/%c3"):
            response = Served().get(path)
            self.assertEqual((400, "bad_request"), (response.status, response.json["error"]))
        self.assertEqual([], self.flushLoggedErrors())

    def test_whole_url(self) -> None:
        """A URL as request target is handled as its path, with its host as the Host header."""
        for url, path in (
            ("http://localhost/api/stats", "/api/stats"),
            ("HTTP://127.0.0.1:8080/api/files?limit=1", "/api/files?limit=1"),
            ("https://[::1]/api/syscall/read", "/api/syscall/read"),
            ("http://localhost:8080", "/"),
            ("http://localhost?x=/y", "/?x=/y"),
        ):
            answers = [Served().get(each) for each in (url, path)]
            self.assertEqual([200, 200], [answer.status for answer in answers], url)
            self.assertEqual(1, len({answer.body for answer in answers}), url)
        # The Host header is ignored then.
        for host in ("evil.example", ""):
            self.assertEqual(200, Served().get("http://localhost/api", {"Host": host}).status)
        refusals = {"evil.example": 403, "": 400, "a@localhost": 400, "localhost:x": 400}
        for host, status in refusals.items():
            response = Served().get(f"http://{host}/api/stats")
            self.assertEqual(status, response.status, host)
        listener = Listener(Served(), target="http://localhost:8080/stream")
        self.assertIn(b"101", listener.head.split(b"\r\n")[0])

    def test_no_path(self) -> None:
        """A target that is neither a path nor a URL of this server is refused."""
        for target in ("ftp://localhost/api", "xapi/stats", "localhost:8080", "http:/api"):
            for method in ("GET", "OPTIONS", "CONNECT"):
                response = Served().get(target, method=method)
                self.assertEqual(
                    (400, "application/json"),
                    (response.status, response.headers["content-type"]),
                    target,
                )

    def test_slash_forgotten(self) -> None:
        """A missing final slash is redirected, also behind a prefix."""
        response = Served().get("/debug/pprof")

        self.assertEqual((301, "pprof/"), (response.status, response.headers["location"]))

    def test_methods(self) -> None:
        """Methods that change something and unknown methods get 405 and Allow."""
        for path in ("/api/stats", "/api/syscall/read", "/healthz", "/debug/goroutines"):
            for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONSENSE", "get"):
                response = Served().get(path, method=method)
                self.assertEqual((405, "GET, HEAD"), (response.status, response.headers["allow"]))
                self.assertEqual("method_not_allowed", response.json["error"])

    def test_head(self) -> None:
        """HEAD has the headers of GET and no body."""
        for path in ("/api/stats", "/api/syscall/read", "/healthz", "/metrics", "/nothing"):
            served = Served()
            get, head = served.get(path), served.get(path, method="HEAD")
            self.assertEqual(b"", head.body)
            self.assertEqual(get.headers["content-length"], head.headers["content-length"])
            self.assertEqual(get.status, head.status)


class DirectTests(SynchronousTestCase):
    """Paths that are looked up without Klein."""

    def test_on_demand(self) -> None:
        """Klein is created for the first path that needs it."""
        served = Served()
        router = served.web.root.router
        self.assertEqual(200, served.get("/api/stats").status)
        self.assertIsNone(router._klein)
        self.assertEqual(200, served.get("/api/syscall/read").status)
        self.assertIs(router._klein, router.klein())

    def test_same_as_by_router(self) -> None:
        """The response is the same with and without Klein."""
        direct, routed = Served(), Served()
        everything = routed.web.root.router
        without_shortcuts = attrs.evolve(everything)
        without_shortcuts.by_path = {}
        routed.site.resource = attrs.evolve(routed.web.root, router=without_shortcuts)
        ticking = {"/metrics", "/debug/goroutines", "/debug/pprof/goroutine"}

        # The pages have tests of their own.
        for path in [each.decode() for each in direct.web.root.router.by_path if each != b"/"]:
            for method in ("GET", "HEAD", "POST"):
                direct_response, routed_response = (
                    each.get(path, method=method) for each in (direct, routed)
                )
                for response in (direct_response, routed_response):
                    response.headers.pop("date")
                if path in ticking:
                    self.assertEqual(direct_response.status, routed_response.status)
                elif not path.startswith("/debug/pprof/"):
                    self.assertEqual(direct_response, routed_response, path)

    def test_polled(self) -> None:
        """Paths that are polled are among them."""
        by_path = Served().web.root.router.by_path

        for path in (b"/healthz", b"/api/stats", b"/api/status", b"/api/log", b"/metrics"):
            self.assertIn(path, by_path)

    def test_errors(self) -> None:
        """An API error of a handler is sent."""
        response = Served().get("/api/files?limit=x")

        self.assertEqual((400, "bad_request"), (response.status, response.json["error"]))

    def test_broken(self) -> None:
        """An unexpected exception is 500 as JSON, and is logged."""
        served = Served()
        direct = handlers.HandlerResource(mock.Mock(side_effect=ZeroDivisionError))
        cast("dict[bytes, IResource]", served.web.root.router.by_path)[b"/api/stats"] = direct

        response = served.get("/api/stats")

        self.assertEqual((500, "internal_error"), (response.status, response.json["error"]))
        self.assertEqual(1, len(self.flushLoggedErrors(ZeroDivisionError)))

    def test_broken_behind_router(self) -> None:
        """The same holds with Klein."""
        with mock.patch(
            "syswatch.views.record_builders.syscall_detail", side_effect=ZeroDivisionError
        ):
            response = Served().get("/api/syscall/read")

        self.assertEqual((500, "internal_error"), (response.status, response.json["error"]))
        self.assertEqual(1, len(self.flushLoggedErrors(ZeroDivisionError)))


class DebugTests(SynchronousTestCase):
    """--no-debug-endpoints."""

    def test_gone(self) -> None:
        """Without debug endpoints nothing below /debug exists or is mentioned."""
        served = Served(Access(debug_endpoints=False))

        for path in ("/debug/goroutines", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof"):
            self.assertEqual(404, served.get(path).status)
        self.assertNotIn(b"/debug", served.get("/api?per_page=100").body)
        self.assertNotIn(b"/debug", served.get("/api/openapi.json").body)

    def test_there(self) -> None:
        """By default the debug endpoints exist and are listed."""
        listed = Served().get("/api?per_page=100").body

        for part in b"cmdline profile symbol trace goroutine heap threadcreate block".split():
            self.assertIn(b'"/debug/pprof/' + part + b'"', listed)
        self.assertIn(b'"/debug/goroutines"', listed)


class HeaderTests(SynchronousTestCase):
    """The headers of all responses."""

    def test_everywhere(self) -> None:
        """Every response has a length and a type, and must not be stored or sniffed."""
        served = Served()
        paths = [
            *(served.web.root.router.by_path.keys() - {b"/"}),
            b"/api/syscall/read",
            b"/api/syscall/x",
            b"/nothing",
        ]
        for path in map(bytes.decode, paths):
            response: Response = served.get(path)
            self.assertEqual(str(len(response.body)), response.headers["content-length"], path)
            self.assertIn("/", response.headers["content-type"], path)
            self.assertEqual("no-store", response.headers["cache-control"], path)
            self.assertEqual("nosniff", response.headers["x-content-type-options"], path)
