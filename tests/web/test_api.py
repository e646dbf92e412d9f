"""Tests of the JSON API over HTTP: headers, limits, errors."""

import gzip
import json

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.entries import LOG_ENTRIES, LogEntry
from tests.web.served import FakeSession, Response, Served, snapshot_of

_PATHS = (
    *("/api", "/api/stats", "/api/status", "/api/log", "/api/categories", "/api/files"),
    *("/api/fidelity", "/api/history", "/api/processes", "/api/syscall/read"),
)
_MANY_PATHS = Delta(paths={f"/{number:05}": 1 + number % 7 for number in range(10_000)})


class AnswerTests(SynchronousTestCase):
    """All responses."""

    def setUp(self) -> None:
        """Create a site."""
        self.served = Served()

    def get(
        self, path: str, headers: dict[str, str] | None = None, method: str = "GET"
    ) -> Response:
        """Send a request."""
        return self.served.get(path, headers, method)

    def test_headers(self) -> None:
        """Every response has its type and length, and must not be stored."""
        for path in (*_PATHS, "/healthz", "/nothing", "/api/syscall/close?page=x"):
            answer = self.get(path)

            self.assertEqual(str(len(answer.body)), answer.headers["content-length"], path)
            self.assertEqual("no-store", answer.headers["cache-control"], path)
            self.assertEqual("nosniff", answer.headers["x-content-type-options"], path)
            expected = "text/plain" if path == "/healthz" else "application/json"
            self.assertEqual(expected, answer.headers["content-type"].partition(";")[0], path)

    def test_alive(self) -> None:
        """The liveness probe returns the text ok."""
        self.assertEqual((200, b"ok"), (self.get("/healthz").status, self.get("/healthz").body))

    def test_head(self) -> None:
        """HEAD has the headers of GET and no body."""
        for path in (*_PATHS, "/healthz"):
            whole, head = self.get(path), self.get(path, method="HEAD")

            self.assertEqual((200, b""), (head.status, head.body), path)
            for name in ("content-length", "content-type", "etag"):
                self.assertEqual(whole.headers.get(name), head.headers.get(name), path)

    def test_methods(self) -> None:
        """Methods that change something get 405, with the allowed ones."""
        for path in _PATHS:
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                answer = self.get(path, method=method)

                self.assertEqual((405, "GET, HEAD"), (answer.status, answer.headers["allow"]))
                self.assertEqual("method_not_allowed", answer.json["error"])
                self.assertEqual({"error", "message"}, set(answer.json))

    def test_unchanged(self) -> None:
        """A client with the current response gets 304, others get the new one."""
        first = self.get("/api/stats")
        again = self.get("/api/stats", {"If-None-Match": first.headers["etag"]})
        self.assertEqual((304, b""), (again.status, again.body))

        self.served.session.snapshot = snapshot_of(Delta(calls={"read": CallTally(count=9)}))
        changed = self.get("/api/stats", {"If-None-Match": first.headers["etag"]})

        self.assertEqual(200, changed.status)
        self.assertNotEqual(first.headers["etag"], changed.headers["etag"])

    def test_compressed(self) -> None:
        """Long responses are compressed for clients that accept gzip."""
        served = Served(session=FakeSession.of(_MANY_PATHS))
        plain = served.get("/api/files")
        for accepted in ("gzip", "br, gzip;q=0.5", "*", "GZIP"):
            packed = served.get("/api/files", {"Accept-Encoding": accepted})

            self.assertEqual("gzip", packed.headers["content-encoding"], accepted)
            self.assertEqual(plain.body, gzip.decompress(packed.body))
            self.assertEqual("Accept-Encoding", packed.headers["vary"])
        for accepted in ("", "br", "gzip;q=0", "identity, gzip; q=0.0", "*, gzip;q=0"):
            same = served.get("/api/files", {"Accept-Encoding": accepted})

            self.assertNotIn("content-encoding", same.headers)
            self.assertEqual(plain.body, same.body)
        self.assertNotIn(
            "content-encoding", self.get("/healthz", {"Accept-Encoding": "gzip"}).headers
        )


class PathTests(SynchronousTestCase):
    """The response and the errors of each path."""

    def setUp(self) -> None:
        """Create a site."""
        self.served = Served()

    def refused(self, path: str) -> tuple[int, str]:
        """Return status and code of an error, which also has a message."""
        answer = self.served.get(path)
        self.assertEqual({"error", "message"}, set(answer.json), path)
        self.assertTrue(answer.json["message"].endswith("."), path)
        return answer.status, answer.json["error"]

    def test_nothing_there(self) -> None:
        """An unknown path is 404."""
        for path in (
            "/nothing",
            "/api//",
            "/api/stats/",
            "/api/syscall",
            "/api//stats",
            "/api/%00",
        ):
            self.assertEqual((404, "not_found"), self.refused(path), path)

    def test_calls(self) -> None:
        """Unknown names and calls that have not been called are different errors."""
        self.assertEqual("read", self.served.get("/api/syscall/read").json["Name"])
        self.assertEqual((404, "not_seen"), self.refused("/api/syscall/write"))
        self.assertEqual((404, "unknown_syscall"), self.refused("/api/syscall/frobnicate"))
        self.assertEqual((404, "unknown_syscall"), self.refused("/api/syscall/" + "x" * 5000))

    def test_index(self) -> None:
        """The index lists all endpoints, page by page."""
        whole = self.served.get("/api?per_page=100").json
        self.assertEqual({"total", "page", "per_page", "items"}, set(whole))
        self.assertEqual(whole["total"], len(whole["items"]))
        paths = [item["path"] for item in whole["items"]]
        for path in (*_PATHS[:-1], "/api/syscall/{name}", "/healthz"):
            self.assertIn(path, paths)
        for item in whole["items"]:
            self.assertEqual({"path", "method", "description"}, set(item))

        pages = [self.served.get(f"/api?page={n}&per_page=7").json for n in range(1, 10)]

        self.assertEqual(whole["items"], [item for page in pages for item in page["items"]])
        self.assertEqual([], pages[-1]["items"])
        self.assertEqual(9, pages[-1]["page"])

    def test_index_with_a_slash(self) -> None:
        """The index is the same with a slash at its end."""
        for query in ("", "?page=2&per_page=3"):
            self.assertEqual(
                self.served.get(f"/api{query}").body, self.served.get(f"/api/{query}").body
            )
        self.assertEqual(405, self.served.get("/api/", method="POST").status)

    def test_limits_of_the_index(self) -> None:
        """The default is 20 per page; more than 100 is reduced to 100."""
        for query, expected in {
            "": (1, 20),
            "?per_page=100": (1, 100),
            "?per_page=101": (1, 100),
            "?per_page=99999999999999999999999": (1, 100),
            "?page=2&page=1": (1, 20),
            "?page=0001": (1, 20),
            "?unknown=x": (1, 20),
        }.items():
            answer = self.served.get(f"/api{query}").json
            self.assertEqual(expected, (answer["page"], answer["per_page"]), query)

    def test_bad_numbers(self) -> None:
        """Anything but an integer of at least 1 is refused."""
        for value in ("0", "-1", "1.5", "x", "", "%00", "1e3", "0x1", "%D9%A1", "1%0A", "+1"):
            for query in (
                f"/api?page={value}",
                f"/api?per_page={value}",
                f"/api/files?limit={value}",
                f"/api/log?limit={value}",
            ):
                self.assertEqual((400, "bad_request"), self.refused(query), query)

    @given(
        st.text(
            st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="&#+%;"),
            max_size=30,
        )
    )
    def test_any_number(self, value: str) -> None:
        """Any value is a number or refused, without an exception."""
        for query in (f"/api?page={value}", f"/api/files?limit={value}", f"/api/log?limit={value}"):
            self.assertIn(self.served.get(query).status, (200, 400))

    def test_files(self) -> None:
        """The default is 50 paths and the maximum 10 000, most frequent first."""
        served = Served(session=FakeSession.of(_MANY_PATHS))
        for query, expected in {
            "": 50,
            "?limit=3": 3,
            "?limit=10000": 10_000,
            "?limit=10001": 10_000,
        }.items():
            files = served.get(f"/api/files{query}").json

            self.assertEqual(expected, len(files))
            self.assertEqual(sorted(files, key=lambda each: (-each["count"], each["path"])), files)

    def test_log(self) -> None:
        """Default and maximum are 500 entries; a limit selects the newest, oldest first."""
        entries = tuple(
            LogEntry(time_ns=number, pid=1, name="read", args=str(number), ret="0", error="")
            for number in range(LOG_ENTRIES)
        )
        served = Served(session=FakeSession.of(Delta(log=entries)))
        for query, expected in {"": 500, "?limit=3": 3, "?limit=1": 1, "?limit=501": 500}.items():
            for _ in range(2):
                log = served.get(f"/api/log{query}").json
                newest = [str(number) for number in range(500 - expected, 500)]
                self.assertEqual(newest, [entry["Args"] for entry in log], query)

        served.session.snapshot = snapshot_of(Delta(log=entries[:2]))
        self.assertEqual(["1"], [entry["Args"] for entry in served.get("/api/log?limit=1").json])
        self.assertEqual(2, len(served.get("/api/log?limit=3").json))

    def test_one_tick_one_truth(self) -> None:
        """Responses from the same snapshot agree."""
        status = self.served.get("/api/status").json
        stats = self.served.get("/api/stats").json
        categories = self.served.get("/api/categories").json

        self.assertEqual(status["Total"], sum(row["Count"] for row in stats))
        self.assertEqual(status["Total"], sum(each["Count"] for each in categories.values()))
        self.assertEqual(status["Errors"], sum(each["Errs"] for each in categories.values()))
        self.assertEqual(status["Unique"], len(stats))

    def test_nothing_yet(self) -> None:
        """Before the first call everything is empty."""
        served = Served(session=FakeSession.of())
        for path in ("stats", "log", "categories", "files", "history", "processes"):
            self.assertFalse(json.loads(served.get(f"/api/{path}").body), path)
        self.assertEqual(0, served.get("/api/status").json["Total"])
