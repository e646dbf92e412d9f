"""Tests of the pages and their files as they are sent."""

import gzip
import re
from html.parser import HTMLParser
from importlib.resources import files
from urllib.parse import quote, urljoin, urlsplit

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.process import ProcessTally
from syswatch.settings.access import Access, Token

from .served import EXAMPLE, FakeSession, Response, Served

NO_CALLS = ("opnat", "openat/", "", "%ff", "a/b/c", "openat%2f", "%00", "x" * 5_000)
_MISSING = tuple(f"/syscall/{name}" for name in NO_CALLS)
PAGES = ("/", "/syscall/read", "/syscall/fsync", *_MISSING)
HOSTILE = "<img src=x onerror=alert(1)>\"'&{{name}}"
# What a page needs before it shows anything: the first panel, the charts and the table of calls.
MOST_BYTES = 135_000
# What the other tabs add, all of them together with their style: a third of it is the timeline, a
# sixth the scrubber, queries and downloads of recordings, 10 kB the comparison with baselines, and
# 6 kB the profile that the program needs.
MOST_LATER_BYTES = 155_000
_ELSEWHERE = re.compile(rb"(?:https?:)?//[a-z0-9.-]+\.[a-z]", re.IGNORECASE)
_NAMESPACE = b"http://www.w3.org/2000/svg"
_IMPORTED = re.compile(r'^import .* from "\./([a-z-]+\.js)";$', re.MULTILINE)
_IMPORTED_LATER = re.compile(r'import\("\./([a-z-]+\.js)"\)')


class Reader(HTMLParser):
    """A parser that records what a page loads, runs and shows."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(response.body.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Record a text."""
        self.words.append(data)

    @property
    def loaded(self) -> set[str]:
        """The URLs that the page loads."""
        named = [(tag, attrs.get("src") or attrs.get("href")) for tag, attrs in self.tags]
        return {url for tag, url in named if url and tag in ("link", "script", "img")}


class PageTests(SynchronousTestCase):
    """The documents."""

    def setUp(self) -> None:
        """Create a server."""
        self.served = Served()

    def test_documents(self) -> None:
        """A page is HTML in English and is not stored."""
        for path in PAGES:
            response = self.served.get(path)
            self.assertEqual(404 if path in _MISSING else 200, response.status, path)
            self.assertEqual("text/html; charset=utf-8", response.headers["content-type"])
            self.assertEqual("nosniff", response.headers["x-content-type-options"])
            self.assertEqual("no-store", response.headers["cache-control"], path)
            self.assertTrue(response.body.startswith(b'<!doctype html>\n<html lang="en">'), path)
            self.assertEqual(int(response.headers["content-length"]), len(response.body))

    def test_still_missing(self) -> None:
        """A cached page of an unknown call is still reported as missing."""
        known = {"If-None-Match": self.served.get("/syscall/opnat").headers.get("etag", "*")}

        self.assertEqual(404, self.served.get("/syscall/opnat", known).status)

    def test_nothing_of_a_trace(self) -> None:
        """The response for a name depends on the catalog only, not on the trace."""
        odd = Delta(calls={name: CallTally(count=1) for name in ("read", "frobnicate", "opnat")})
        empty, full = Served(session=FakeSession.of()), Served(session=FakeSession.of(odd))
        statuses = []
        for name in ("read", "fsync", "frobnicate", "opnat", "other"):
            for method in ("GET", "HEAD", "POST", "OPTIONS"):
                for headers in ({}, {"If-None-Match": "*"}):
                    answers = [
                        each.get(f"/syscall/{name}", headers, method) for each in (empty, full)
                    ]
                    for answer in answers:
                        answer.headers.pop("date")
                    self.assertEqual(answers[0], answers[1], name)
            statuses.append(full.get(f"/syscall/{name}").status)
        self.assertEqual([200, 200, 404, 404, 404], statuses)

    def test_policy(self) -> None:
        """The policy of every page permits only its own server."""
        for path in PAGES:
            headers = self.served.get(path).headers
            policy = dict(
                each.strip().split(" ", 1) for each in headers["content-security-policy"].split(";")
            )
            self.assertEqual("'none'", policy["default-src"])
            self.assertEqual("'none'", policy["frame-ancestors"])
            for kind in ("script-src", "style-src", "img-src", "connect-src"):
                self.assertEqual("'self'", policy[kind], path)
            self.assertEqual("no-referrer", headers["referrer-policy"])

    def test_nothing_inline(self) -> None:
        """No page has an inline script, style or handler."""
        for path in PAGES:
            reader = Reader(self.served.get(path))
            for tag, attributes in reader.tags:
                self.assertNotEqual("style", tag, path)
                self.assertNotIn("style", attributes, path)
                self.assertFalse([name for name in attributes if name.startswith("on")], path)
                self.assertTrue(tag != "script" or attributes.get("src"), path)

    def test_everything_named_is_there(self) -> None:
        """All URLs in a page exist and are relative, so that a proxy may add a prefix."""
        for path in PAGES:
            loaded = Reader(self.served.get(path)).loaded
            self.assertTrue(loaded)
            for name in loaded:
                self.assertFalse(name.startswith("/") or urlsplit(name).scheme, name)
                self.assertEqual(200, self.served.get(urljoin(path, name)).status, name)

    def test_modules_are_named_at_once(self) -> None:
        """Each page preloads all modules that its scripts import."""
        for path in ("/", "/syscall/read"):
            loaded = {urljoin(path, name) for name in Reader(self.served.get(path)).loaded}
            scripts = {name for name in loaded if name.endswith(".js")}
            imported = {
                f"/static/{name}"
                for script in scripts
                for name in _IMPORTED.findall(self.served.get(script).body.decode())
            }
            self.assertLessEqual(imported, scripts)
            self.assertEqual(set(), scripts - imported - {"/static/theme.js"} - _entries(path))

    def test_weight(self) -> None:
        """Each page with all that it loads at once is below its limit, uncompressed."""
        for path in PAGES:
            page = self.served.get(path)
            parts = [self.served.get(urljoin(path, name)) for name in Reader(page).loaded]
            weight = len(page.body) + sum(len(part.body) for part in parts)
            self.assertLess(weight, MOST_BYTES, path)

    def test_loaded_later(self) -> None:
        """The tabs that are loaded when they are opened are no part of the page, and are small."""
        at_once = {urljoin("/", name) for name in Reader(self.served.get("/")).loaded}
        script = self.served.get("/static/dashboard.js").body.decode()
        waiting = {f"/static/{name}" for name in _IMPORTED_LATER.findall(script)}
        self.assertEqual(set(), waiting & at_once)
        later: dict[str, bytes] = {}
        while waiting:
            path = waiting.pop()
            later[path] = self.served.get(path).body
            imported = _IMPORTED.findall(later[path].decode())
            waiting |= {f"/static/{name}" for name in imported} - at_once - later.keys()
        self.assertGreater(len(later), 10)
        later["/static/tabs.css"] = self.served.get("/static/tabs.css").body
        self.assertLess(sum(len(body) for body in later.values()), MOST_LATER_BYTES)

    def test_open(self) -> None:
        """The pages need no token because they contain no data."""
        served = Served(Access(http_token=Token(b"sesame")))
        for path in (*PAGES, "/static/dashboard.js"):
            self.assertNotEqual(401, served.get(path).status)
        self.assertEqual(401, served.get("/api/dashboard").status)

    def test_hostile_names(self) -> None:
        """A name that looks like HTML stays text; pages contain nothing of a trace."""
        hostile = Delta(
            calls=EXAMPLE.calls,
            paths={HOSTILE: 3},
            processes={7: ProcessTally(comm=HOSTILE, count=3)},
        )
        served = Served(session=FakeSession.of(hostile))
        missing = Reader(served.get(f"/syscall/{quote(HOSTILE, safe='')}"))
        self.assertNotIn("img", [tag for tag, _ in missing.tags])
        self.assertIn(HOSTILE, missing.words)
        for path in PAGES:
            self.assertNotIn(b"onerror", served.get(path).body)
        # JSON contains it unchanged, but its type keeps browsers from parsing it as HTML.
        board = served.get("/api/dashboard?with=files")
        self.assertEqual([HOSTILE], [each["path"] for each in board.json["Files"]])
        self.assertEqual("application/json", board.headers["content-type"])


def _entries(path: str) -> set[str]:
    return {"/static/dashboard.js" if path == "/" else "/static/syscall.js"}


class FileTests(SynchronousTestCase):
    """Scripts, styles and images."""

    def setUp(self) -> None:
        """Create a server and list the files."""
        self.served = Served()
        folder = files("syswatch.web") / "static"
        self.names = [each.name for each in folder.iterdir() if not each.name.endswith(".html")]

    def test_types(self) -> None:
        """Each kind of file has its type, and must not be sniffed."""
        types = {
            "js": "text/javascript; charset=utf-8",
            "css": "text/css; charset=utf-8",
            "svg": "image/svg+xml",
        }
        for name in (*self.names, "look.css"):
            response = self.served.get(f"/static/{name}")
            self.assertEqual(200, response.status, name)
            self.assertEqual(types[name.rpartition(".")[2]], response.headers["content-type"])
            self.assertEqual("nosniff", response.headers["x-content-type-options"])

    def test_nothing_from_elsewhere(self) -> None:
        """No file refers to another server, except for the SVG namespace."""
        for name in (*self.names, "look.css"):
            body = self.served.get(f"/static/{name}").body.replace(_NAMESPACE, b"")
            self.assertIsNone(_ELSEWHERE.search(body), name)

    def test_no_html_made(self) -> None:
        """No script creates elements from text."""
        forbidden = re.compile(
            rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b"
        )
        for name in self.names:
            self.assertIsNone(forbidden.search(self.served.get(f"/static/{name}").body), name)

    def test_kept_by_the_browser(self) -> None:
        """An unchanged file is 304 Not Modified."""
        for path in ("/", "/syscall/read", "/static/dashboard.js", "/static/look.css"):
            first = self.served.get(path)
            tag = first.headers["etag"]
            lines = f'{tag}\r\nIf-None-Match: "x"'
            for tags in (tag, f'"x",{tag}', f'{tag} , "x"', f"W/{tag}", "*", lines):
                same = self.served.get(path, {"If-None-Match": tags})
                self.assertEqual((304, b""), (same.status, same.body), (path, tags))
            other = self.served.get(path, {"If-None-Match": '"another"'})
            self.assertEqual((200, first.body), (other.status, other.body), path)

    def test_asked_for_each_time(self) -> None:
        """Browsers must revalidate files, so that an update takes effect at once."""
        for path in ("/static/dashboard.js", "/static/look.css"):
            self.assertEqual("no-cache", self.served.get(path).headers["cache-control"], path)

    def test_compressed(self) -> None:
        """Files are compressed for clients that accept gzip."""
        plain = self.served.get("/static/table.js")
        packed = self.served.get("/static/table.js", {"Accept-Encoding": "gzip"})

        self.assertEqual("gzip", packed.headers["content-encoding"])
        self.assertEqual(plain.body, gzip.decompress(packed.body))
        self.assertIn("Accept-Encoding", packed.headers["vary"])

    def test_head(self) -> None:
        """HEAD has the headers of GET and no body."""
        for path in ("/", "/static/page.css"):
            whole, head = self.served.get(path), self.served.get(path, method="HEAD")
            self.assertEqual((200, b""), (head.status, head.body))
            self.assertEqual(whole.headers["content-length"], head.headers["content-length"])

    def test_not_there(self) -> None:
        """Only static files are served: no template, no module, nothing outside of the folder."""
        for name in (
            "dashboard.html",
            "missing.html",
            "nothing.js",
            "../pages.py",
            "a.b.js",
            "X.js",
        ):
            self.assertEqual(404, self.served.get(f"/static/{name}").status, name)
