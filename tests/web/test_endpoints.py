"""Tests that the index, OpenAPI, the access checks and the documentation agree with the routes."""

import re
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.settings.access import Access, Token
from syswatch.web import urls
from syswatch.web.routes import Exposure, Route
from tests.web.frames import UPGRADE
from tests.web.served import Served

_ROOT = Path(__file__).resolve().parent.parent.parent
_DOCUMENTED = re.compile(r"^   \* - `(/[^`]*)`\n     - (.+)$", re.MULTILINE)
_MENTIONED = re.compile(r"`(/(?:api|debug|healthz|metrics|readyz|static|stream|syscall)\b[^`?]*)`")
_FOREIGN_IMAGE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
_FOREIGN_LINK = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}
_PROFILES = "/debug/pprof/"


def _text(name: str) -> str:
    path = _ROOT / name
    if not path.exists():
        raise SkipTest(f"needs {name} of the checkout")
    return path.read_text("utf-8")


class EndpointTests(SynchronousTestCase):
    """One list of endpoints, and everything that is derived from it or repeats it."""

    def setUp(self) -> None:
        """Collect the routes."""
        self.served = Served()
        self.routes: dict[str, Route] = {
            route.template: route for route in self.served.web.root.router.routes
        }
        self.paths = {*self.routes, urls.STREAM}

    def test_index(self) -> None:
        """The index lists every path once, with its description."""
        items = self.served.get("/api?per_page=100").json["items"]

        self.assertEqual(sorted(self.paths), [item["path"] for item in items])
        for item in items:
            if item["path"] in self.routes:
                self.assertEqual(self.routes[item["path"]].description, item["description"])
            self.assertRegex(item["description"], r"^[A-Z].*\.$", item["path"])

    def test_openapi(self) -> None:
        """The OpenAPI document has every path with its parameters and errors."""
        described = self.served.get("/api/openapi.json").json["paths"]

        self.assertEqual(self.paths, set(described))
        for path, route in self.routes.items():
            (operation,) = described[path].values()
            queries = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"]
            self.assertEqual([each.name for each in route.parameters], queries, path)
            self.assertLessEqual({str(each) for each in route.errors}, set(operation["responses"]))

    def test_exposure(self) -> None:
        """Tokens and origins are checked as the exposure of each path demands."""
        guarded = Served(Access(http_token=Token(b"sesame")))
        for path, route in self.routes.items():
            url = path.replace("{name}", "read")
            method = route.method
            public, costly = (route.exposure is each for each in (Exposure.PUBLIC, Exposure.COSTLY))
            self.assertEqual(not public, guarded.get(url, method=method).status == 401, path)
            self.assertEqual(
                not public, self.served.get(url, _FOREIGN_IMAGE, method).status == 403, path
            )
            if not costly:
                self.assertNotEqual(403, self.served.get(url, _FOREIGN_LINK, method).status, path)
            else:
                self.assertEqual(403, self.served.get(url, _FOREIGN_LINK, method).status, path)
        self.assertEqual(401, guarded.get(urls.STREAM, UPGRADE).status)

    def test_documentation(self) -> None:
        """The table of the HTTP API has every path with its parameters."""
        table = dict(_DOCUMENTED.findall(_text("docs/http-api.rst")))

        profiles = {path for path in self.paths if path.startswith(_PROFILES)} - {_PROFILES}
        self.assertEqual(self.paths - profiles, set(table))
        for path in set(table) - {urls.STREAM, _PROFILES}:
            names = [f"`{each.name}`" for each in self.routes[path].parameters]
            self.assertEqual(sorted(names), sorted(re.findall("`[^`]*`", table[path])), path)
        service = _text("docs/service.rst")
        for path in profiles:
            self.assertIn(f"`{path}`", service)

    def test_readme(self) -> None:
        """The README mentions no path that does not exist."""
        aliases = {alias for route in self.routes.values() for alias in route.aliases}
        mentioned = set(_MENTIONED.findall(_text("README.md")))

        self.assertEqual(set(), mentioned - self.paths - aliases)
