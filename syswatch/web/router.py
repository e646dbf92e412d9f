"""
The router: finds the handler of a path.

Klein needs more time to find a path than most handlers need to respond.  So a path without a
variable, as pages and scrapers poll them, is looked up in a dictionary, and Klein gets the rest,
such as what is answered later.
"""

import inspect
from collections.abc import Callable, Mapping
from urllib.parse import unquote_to_bytes

import attrs
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource

from syswatch.base.classes import define

from .errors import bad_request
from .handlers import HandlerResource, checked
from .responses import ErrorResource
from .routes import REST, Entrance, Route, routes


@define(eq=False)
class Router:
    """The routes and resources of all endpoints."""

    _entrance: Entrance
    _endpoints: tuple[object, ...]
    routes: tuple[Route, ...] = attrs.field(init=False)
    by_path: Mapping[bytes, IResource] = attrs.field(init=False)
    by_prefix: Mapping[bytes, IResource] = attrs.field(init=False)
    _klein: IResource | None = attrs.field(default=None, init=False)
    _public_paths: frozenset[bytes] = attrs.field(init=False)
    _public_prefixes: tuple[bytes, ...] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Find the marked methods of the endpoints."""
        self.routes = tuple(route for route, _ in routes(*self._endpoints))
        self.by_path = _by_path(self._entrance, *self._endpoints)
        self.by_prefix = _by_prefix(self._entrance, *self._endpoints)
        public = [path.encode() for each in self.routes if each.is_public for path in each.paths]
        self._public_paths = frozenset(path for path in public if b"<" not in path)
        self._public_prefixes = tuple(path.partition(b"<")[0] for path in public if b"<" in path)

    def klein(self) -> IResource:
        """
        Return the resource for all other paths, created for the first of them.

        Importing Klein takes a tenth of the time until a server answers.
        """
        if self._klein is None:
            from .klein_application import klein_application

            self._klein = klein_application(self._entrance, *self._endpoints).resource()
        return self._klein

    def resource(self, request: IRequest) -> IResource:
        """Return the resource for the path of a request."""
        path = request.path
        if found := self.by_path.get(path):
            return found
        for prefix, resource in self.by_prefix.items():
            if path.startswith(prefix):
                return resource
        try:
            unquote_to_bytes(path).decode("utf-8")
        except UnicodeDecodeError:
            return ErrorResource(bad_request("The path is not valid UTF-8."))
        # Klein's resource is a leaf and expects the whole path after it.
        request.postpath.insert(0, request.prepath.pop())
        return self.klein()

    def is_public(self, path: bytes) -> bool:
        """Return whether a path needs no token."""
        return path in self._public_paths or path.startswith(self._public_prefixes)


def _by_path(entrance: Entrance, *endpoints: object) -> Mapping[bytes, IResource]:
    return {
        path.encode(): HandlerResource(checked(route, method, entrance))
        for route, method in routes(*endpoints)
        for path in route.paths
        if "<" not in path and not inspect.iscoroutinefunction(method)
    }


def _by_prefix(entrance: Entrance, *endpoints: object) -> Mapping[bytes, IResource]:
    found = {}
    for route, method in routes(*endpoints):
        prefix, _, variable = route.path.partition(REST)
        if variable:
            handler = _with_rest(checked(route, method, entrance), prefix, variable.rstrip(">"))
            found[prefix.encode()] = HandlerResource(handler)
    return found


def _with_rest(handler: Callable[..., bytes], prefix: str, variable: str) -> Callable[..., bytes]:
    def handle(request: IRequest) -> bytes:
        rest = unquote_to_bytes(request.path[len(prefix) :]).decode("utf-8", "replace")
        return handler(request, **{variable: rest})

    return handle
