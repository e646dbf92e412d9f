"""
The router: finds the handler of a path and turns exceptions into error responses.

Klein needs more time to find a path than most handlers need to respond.  So a path without a
variable, as pages and scrapers poll them, is looked up in a dictionary, and Klein gets the rest.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast
from urllib.parse import unquote_to_bytes

from klein import Klein
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import RequestRedirect

from syswatch.base.classes import frozen

from .errors import ApiError, bad_request, internal_error, method_not_allowed, moved, not_found
from .responses import ErrorResource, send_error
from .routes import Entrance, Route, routes

# A variable of this kind matches the rest of the path, whatever it contains.
_REST: Final = "<path:"
_log = Logger()


@frozen(slots=False)
class HandlerResource(Resource):
    """A resource that calls one handler."""

    handler: Callable[[IRequest], bytes | Deferred[bytes]]
    isLeaf = True

    def render(self, request: IRequest) -> bytes | int:
        """Call the handler and send the errors that it raises."""
        try:
            answered = self.handler(request)
            return _finish_later(request, answered) if isinstance(answered, Deferred) else answered
        except ApiError as error:
            return send_error(request, error)
        except Exception:  # noqa: BLE001  the client gets a response to any failure
            return _send_internal_error(request, Failure())


@frozen
class Router:
    """The routes and resources of all endpoints."""

    routes: tuple[Route, ...]
    by_path: Mapping[bytes, IResource]
    by_prefix: Mapping[bytes, IResource]
    klein: IResource
    _public_paths: frozenset[bytes]
    _public_prefixes: tuple[bytes, ...]

    @classmethod
    def create(cls, entrance: Entrance, *endpoints: object) -> "Router":
        """Return a router for the marked methods of objects."""
        found = tuple(route for route, _ in routes(*endpoints))
        public = [path.encode() for route in found if route.is_public for path in route.paths]
        return cls(
            found,
            _by_path(entrance, *endpoints),
            _by_prefix(entrance, *endpoints),
            klein_application(entrance, *endpoints).resource(),
            frozenset(path for path in public if b"<" not in path),
            tuple(path.partition(b"<")[0] for path in public if b"<" in path),
        )

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
        return self.klein

    def is_public(self, path: bytes) -> bool:
        """Return whether a path needs no token."""
        return path in self._public_paths or path.startswith(self._public_prefixes)


def klein_application(entrance: Entrance, *endpoints: object) -> Klein:
    """Return a Klein application with all paths that it can match."""
    app = Klein()
    # A path with a doubled slash is unknown; a redirect would only hide the mistake.
    app.url_map.merge_slashes = False
    for route, method in routes(*endpoints):
        for path in route.paths:
            if _REST not in path:
                handler = _checked(route, method, entrance)
                app.route(path, endpoint=path, methods=route.methods)(handler)
    _handle_errors(app)
    return app


def _by_path(entrance: Entrance, *endpoints: object) -> Mapping[bytes, IResource]:
    return {
        path.encode(): HandlerResource(_checked(route, method, entrance))
        for route, method in routes(*endpoints)
        for path in route.paths
        if "<" not in path and not inspect.iscoroutinefunction(method)
    }


def _by_prefix(entrance: Entrance, *endpoints: object) -> Mapping[bytes, IResource]:
    found = {}
    for route, method in routes(*endpoints):
        prefix, _, variable = route.path.partition(_REST)
        if variable:
            handler = _with_rest(_checked(route, method, entrance), prefix, variable.rstrip(">"))
            found[prefix.encode()] = HandlerResource(handler)
    return found


def _finish_later(request: IRequest, answered: Deferred[bytes]) -> int:
    """Send what a handler returns later, unless the client has gone."""

    def send(body: bytes) -> None:
        # A request has a channel while it has a client.
        if cast("Any", request).channel is not None:
            request.write(body)
            request.finish()

    def send_failure(failure: Failure) -> bytes:
        if failure.check(ApiError):
            return send_error(request, cast("ApiError", failure.value))
        return _send_internal_error(request, failure)

    answered.addErrback(send_failure).addCallback(send)
    return NOT_DONE_YET


def _with_rest(handler: Callable[..., bytes], prefix: str, variable: str) -> Callable[..., bytes]:
    def handle(request: IRequest) -> bytes:
        rest = unquote_to_bytes(request.path[len(prefix) :]).decode("utf-8", "replace")
        return handler(request, **{variable: rest})

    return handle


def _checked(route: Route, method: Callable[..., Any], entrance: Entrance) -> Callable[..., Any]:
    methods = frozenset(method.encode() for method in route.methods)

    def handle(request: IRequest, **variables: str) -> Any:
        # Methods are case-sensitive, which the router ignores.
        if request.method not in methods:
            return _refuse_method(request, route.methods)
        return entrance.enter(route, request, lambda: method(request, **variables))

    return handle


def _handle_errors(app: Klein) -> None:
    def send_api_error(request: IRequest, failure: Failure) -> bytes:
        return send_error(request, cast("ApiError", failure.value))

    def send_not_found(request: IRequest, _failure: Failure) -> bytes:
        return send_error(request, not_found())

    def refuse_method(request: IRequest, failure: Failure) -> bytes:
        allowed = cast("MethodNotAllowed", failure.value).valid_methods or ()
        # The router adds OPTIONS, and sorts as sets do.
        return _refuse_method(request, sorted(set(allowed) - {"OPTIONS"}))

    def redirect(request: IRequest, _failure: Failure) -> bytes:
        # Relative, because the router does not know the prefix that a proxy adds.
        request.setHeader(b"Location", request.path.rpartition(b"/")[2] + b"/")
        return send_error(request, moved())

    def refuse_path(request: IRequest, _failure: Failure) -> bytes:
        return send_error(request, bad_request("Invalid path."))

    # The first match is used.
    handlers: tuple[tuple[type[Exception], Any], ...] = (
        (ApiError, send_api_error),
        (NotFound, send_not_found),
        (MethodNotAllowed, refuse_method),
        (RequestRedirect, redirect),
        (HTTPException, refuse_path),
        (Exception, _send_internal_error),
    )
    for error, handler in handlers:
        app.handle_errors(error)(handler)


def _refuse_method(request: IRequest, methods: Iterable[str]) -> bytes:
    allowed = ", ".join(methods)
    request.setHeader(b"Allow", allowed.encode())
    return send_error(request, method_not_allowed(allowed))


def _send_internal_error(request: IRequest, failure: Failure) -> bytes:
    _log.failure("a request could not be handled", failure=failure)
    return send_error(request, internal_error())
