"""The pages: dashboard, detail page, and the files they are made of."""

import re
from difflib import get_close_matches
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

import attrs
from twisted.web.iweb import IRequest

from syswatch.base.text import inert
from syswatch.model.catalog import documented, lookup

from . import urls
from .answers import HTML, Answer
from .errors import not_found
from .exposure import Exposure
from .routes import serves

# Nothing inline, nothing from elsewhere, and no page may put this one into a frame.
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILE = b"*/*"
_TYPES = {
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
}
_FILE_NAME = re.compile(r"[a-z][a-z-]*\.(css|js|svg)$")
_LOOK = "look.css"
_CALL_PAGE = "syscall.html"
_SIMILAR = 3
_LONGEST_SHOWN = 64
# Nobody mistypes an address with more slashes.
_DEEPEST = 8


@attrs.define
class Pages:
    """
    Serves the pages; what they show they ask of the API.

    They need no token, so that nothing about them, not even their status, depends on a trace.
    """

    _files: dict[str, Answer] = attrs.field(factory=dict, init=False)

    @serves(urls.DASHBOARD, content_type=HTML, exposure=Exposure.PUBLIC)
    def dashboard(self, request: IRequest) -> bytes:
        """Show everything, live."""
        return self._page(request, "dashboard.html")

    @serves(urls.CALL_PAGE, content_type=HTML, errors=(404,), exposure=Exposure.PUBLIC)
    def call_page(self, request: IRequest, name: str) -> bytes:
        """Show one system call, live."""
        if lookup(name) is not None:
            return self._page(request, _CALL_PAGE)
        request.setResponseCode(404)
        _protect(request)
        # Whoever has it already must still hear that there is no such call.
        return Answer(_missing(name, _depth(request)), HTML).send(request, always=True)

    @serves(urls.STATIC, content_type=FILE, errors=(404,), exposure=Exposure.PUBLIC)
    def static(self, request: IRequest, name: str) -> bytes:
        """Return a script, a style or an image."""
        match = _FILE_NAME.match(name)
        if match is None or not _find(name).is_file():
            raise not_found()
        body = self._file(request, name, _TYPES[match[1]])
        # Kept by the browser, and asked for again each time: an update is seen at once.
        request.setHeader(b"Cache-Control", b"no-cache")
        return body

    def _page(self, request: IRequest, name: str) -> bytes:
        _protect(request)
        return self._file(request, name, HTML)

    def _file(self, request: IRequest, name: str, content_type: bytes) -> bytes:
        if name not in self._files:
            self._files[name] = Answer(_find(name).read_bytes(), content_type)
        return self._files[name].send(request)


def _find(name: str) -> Traversable:
    # The report has the same look, and is a view: its style lies with the views.
    return (
        files("syswatch.views") / name if name == _LOOK else files("syswatch.web") / "static" / name
    )


def _protect(request: IRequest) -> None:
    request.setHeader(b"Content-Security-Policy", POLICY)
    request.setHeader(b"Referrer-Policy", b"no-referrer")


def _depth(request: IRequest) -> int:
    """Return how many folders the page seems to lie in, which its relative links have to leave."""
    return min(int(request.path.count(b"/")) - 1, _DEEPEST)


def _missing(name: str, depth: int) -> bytes:
    """
    Return the page of a name that Linux has no system call for.

    It is the page of a call, which says that there is none until it hears of one: a trace may have
    names that the catalog lacks, and whether it does is for those to know who may ask the API.
    """
    page = _find(_CALL_PAGE).read_text("utf-8")
    known_names = [entry.name for entry in documented()]
    similar = get_close_matches(name, known_names, _SIMILAR)
    up = "../" * (depth - 1)
    links = ", ".join(f'<a href="{up}{known}"><code>{known}</code></a>' for known in similar)
    shown = escape(inert(name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…"))
    hint = f"Did you mean {links}?" if links else ""
    for mark, instead in (
        ("<title>", "<title>no such system call · "),
        ("<body>", '<body class="unknown">'),
        ("<main>", f"<main>\n{_find('missing.html').read_text('utf-8')}"),
        ("../", f"../{up}"),
        ("{{hint}}", hint),
        ("{{name}}", shown),
    ):
        page = page.replace(mark, instead)
    return page.encode()
