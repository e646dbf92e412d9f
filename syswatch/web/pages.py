"""The pages: dashboard, detail page, and their static files."""

import re
from functools import cache
from html import escape
from importlib.resources import files

import attrs
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.model.catalog.entries import lookup
from syswatch.views.look import look

from .errors import not_found, quoted, similar_calls
from .responses import HTML, Response
from .routes import Exposure, serves

# Nothing inline, nothing from other servers, and no page may embed this one in a frame.
_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ANY_TYPE = b"*/*"
_TYPES = {
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
}
_FILE_NAME = re.compile(r"[a-z][a-z-]*\.(css|js|svg)$")
_IMPORT = re.compile(r'^import .* from "\./([a-z-]+)\.js";$', re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
# The style that the pages share with the report, which is a view.
_SHARED_STYLE = "look.css"
# The pages, and from where on the links of each are relative.
_PAGES = {"dashboard": "", "syscall": "../"}
# Bounds the length of relative links; no mistyped address has more slashes.
_MAX_DEPTH = 8


@define
class Pages:
    """
    The pages, which get all their data from the API.

    They need no token, so nothing about them, not even their status, depends on a trace.
    """

    _files: dict[str, Response] = attrs.field(factory=dict, init=False)
    _pages: dict[str, Response] = attrs.field(factory=dict, init=False)

    def read_files(self) -> None:
        """Read all files, which may not be permitted later."""
        for name in _PAGES:
            self._loaded_page(name)
        for name in filter(_FILE_NAME.match, _names_of_files()):
            self._loaded_file(name)
        _template("missing")

    @serves("/", content_type=HTML, exposure=Exposure.PUBLIC)
    def dashboard(self, request: IRequest) -> bytes:
        """Return the live dashboard."""
        return self._send_page(request, "dashboard")

    @serves("/syscall/<path:name>", content_type=HTML, errors=(404,), exposure=Exposure.PUBLIC)
    def call_page(self, request: IRequest, name: str) -> bytes:
        """Return the live page of one system call."""
        if lookup(name) is not None:
            return self._send_page(request, "syscall")
        request.setResponseCode(404)
        _set_policy(request)
        # Not 304: a cached page must still be reported as missing.
        return Response(_missing_call(name, request), HTML).send(request, unconditional=True)

    @serves(
        "/static/<string:name>", content_type=_ANY_TYPE, errors=(404,), exposure=Exposure.PUBLIC
    )
    def static(self, request: IRequest, name: str) -> bytes:
        """Return a script, a style sheet or an image."""
        if not _FILE_NAME.match(name):
            raise not_found()
        body = self._loaded_file(name).send(request)
        # Browsers may cache it but must revalidate, so that an update takes effect at once.
        request.setHeader(b"Cache-Control", b"no-cache")
        return body

    def _send_page(self, request: IRequest, name: str) -> bytes:
        _set_policy(request)
        return self._loaded_page(name).send(request)

    def _loaded_page(self, name: str) -> Response:
        if name not in self._pages:
            self._pages[name] = Response(_page(name, _PAGES[name]), HTML)
        return self._pages[name]

    def _loaded_file(self, name: str) -> Response:
        if name not in self._files:
            self._files[name] = Response(_static(name), _TYPES[name.rpartition(".")[2]])
        return self._files[name]


def _names_of_files() -> list[str]:
    return [_SHARED_STYLE, *(file.name for file in (files("syswatch.web") / "static").iterdir())]


@cache
def _static(name: str) -> bytes:
    if name == _SHARED_STYLE:
        return look().encode()
    try:
        return (files("syswatch.web") / "static" / name).read_bytes()
    except FileNotFoundError:
        raise not_found() from None


@cache
def _template(name: str) -> str:
    return (files("syswatch.web") / "templates" / f"{name}.html").read_text("utf-8")


def _page(name: str, root: str, **values: str) -> bytes:
    """Return a page; `root` is the relative URL of the server."""
    target, main = _template(name).split("{{main}}\n")
    values = {
        "title": "syswatch",
        "class": "",
        "missing": "",
        "page": name,
        "root": root,
        "preloads": _preloads(name, root),
        **values,
    }
    page = _template("page").replace("{{target}}\n", target).replace("{{main}}\n", main)
    return _filled(page, values).encode()


def _filled(template: str, values: dict[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def _preloads(name: str, root: str) -> str:
    """Return links for all modules that a page imports, so that no import waits for another."""
    return "\n".join(
        f'<link rel="modulepreload" href="{root}static/{module}.js">'
        for module in sorted(_imported(name, set()) - {name})
    )


def _imported(module: str, found: set[str]) -> set[str]:
    if module not in found:
        found.add(module)
        for each in _IMPORT.findall(_static(f"{module}.js").decode()):
            _imported(each, found)
    return found


def _set_policy(request: IRequest) -> None:
    request.setHeader(b"Content-Security-Policy", _POLICY)
    request.setHeader(b"Referrer-Policy", b"no-referrer")


def _missing_call(name: str, request: IRequest) -> bytes:
    """
    Return the page of a name that is not in the catalog.

    It is the page of a call with a notice, which a script removes if the trace has such a call:
    whether it has one is only for clients that may use the API.
    """
    depth = min(int(request.path.count(b"/")) - 1, _MAX_DEPTH)
    siblings = "../" * (depth - 1)
    root = f"../{siblings}"
    links = ", ".join(
        f'<a href="{siblings}{each}"><code>{each}</code></a>' for each in similar_calls(name)
    )
    hint = f"Did you mean {links}?" if links else ""
    missing = _filled(
        _template("missing"), {"name": escape(quoted(name)), "hint": hint, "root": root}
    )
    title = "Unknown system call · syswatch"
    return _page("syscall", root, missing=missing, title=title, **{"class": "unknown"})
