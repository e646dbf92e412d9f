"""
Routes: a room of the web is a class whose methods are marked with the path they answer.

What is written beside a method (the path, what it answers, its parameters, the first line of
its docstring) is all there is: the router, the index of endpoints and the OpenAPI description
are made from it.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote_to_bytes

import attrs
from klein import Klein
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import RequestRedirect
from zope.interface import implementer

from .answers import JSON, send_error
from .errors import ApiError, bad_request, internal, method_not_allowed, moved, not_found
from .exposure import Exposure
from .hosts import Hosts
from .parameters import Parameter

Handler = TypeVar("Handler", bound=Callable[..., Any])
_METHODS: Final = ["GET", "HEAD"]
_METHODS_SENT: Final = frozenset(method.encode() for method in _METHODS)
_MARK: Final = "_syswatch_route"
_VARIABLE: Final = re.compile(r"<\w+:(\w+)>")
# What a variable of this kind stands for may be anything, which a router is not to judge.
_REST: Final = "<path:"
_log = Logger()


@attrs.frozen
class Route:
    """One path, what else leads to it, and what is said of it."""

    path: str
    also: tuple[str, ...]
    answers: Any
    content_types: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    errors: tuple[int, ...]
    exposure: Exposure
    description: str

    @property
    def template(self) -> str:
        """The path as people write it, with the variable part in braces."""
        return _VARIABLE.sub(r"{\1}", self.path)

    @property
    def paths(self) -> tuple[str, ...]:
        """All that leads to it."""
        return (self.path, *self.also)


def serves(  # noqa: PLR0913  each is said by its name
    path: str,
    *,
    also: tuple[str, ...] = (),
    answers: Any = str,
    content_type: bytes = JSON,
    or_else: tuple[bytes, ...] = (),
    parameters: tuple[Parameter, ...] = (),
    errors: tuple[int, ...] = (),
    exposure: Exposure = Exposure.DATA,
) -> Callable[[Handler], Handler]:
    """Mark a method as the one that answers a path."""

    def mark(handler: Handler) -> Handler:
        description = (inspect.getdoc(handler) or "").partition("\n")[0]
        types = tuple(
            each.decode().partition(";")[0] for each in dict.fromkeys((content_type, *or_else))
        )
        route = Route(path, also, answers, types, parameters, errors, exposure, description)
        setattr(handler, _MARK, route)
        return handler

    return mark


def routes(room: object) -> Iterator[tuple[Route, Callable[..., Any]]]:
    """Yield the marked methods of a room."""
    for _, method in inspect.getmembers(room, inspect.ismethod):
        route = getattr(method, _MARK, None)
        if route is not None:
            yield route, method


@attrs.frozen
class PublicPaths:
    """The paths that need no token."""

    exact: frozenset[bytes]
    below: tuple[bytes, ...]

    @classmethod
    def of(cls, *rooms: object) -> "PublicPaths":
        """Return those of some rooms."""
        public = [
            path.encode()
            for room in rooms
            for route, _ in routes(room)
            if route.exposure is Exposure.PUBLIC
            for path in route.paths
        ]
        variable = tuple(path.partition(b"<")[0] for path in public if b"<" in path)
        return cls(frozenset(path for path in public if b"<" not in path), variable)

    def has(self, path: bytes) -> bool:
        """Return whether a path is one of them."""
        return path in self.exact or path.startswith(self.below)


def application(hosts: Hosts, *rooms: object) -> Klein:
    """Put rooms together into one application."""
    app = Klein()
    # A path with doubled slashes is another path: to redirect it helps nobody but a mistake.
    app.url_map.merge_slashes = False
    for room in rooms:
        for route, method in routes(room):
            for path in route.paths:
                if _REST not in path:
                    handler = _checked(route, method, hosts)
                    app.route(path, endpoint=path, methods=_METHODS)(handler)
    _answer_errors(app)
    return app


@implementer(IResource)
@attrs.frozen
class Direct:
    """
    Answers one path without a router.

    To find a path is most of what a request costs Klein.  What is asked for every second by
    everybody has a path that never varies, and an answer that is ready.
    """

    handler: Callable[[IRequest], bytes]
    isLeaf = True

    def render(self, request: IRequest) -> bytes:
        """Answer as the router would."""
        try:
            return self.handler(request)
        except ApiError as error:
            return send_error(request, error)
        except Exception:  # noqa: BLE001  whatever broke, the client gets an answer
            return _break_down(request, Failure())

    def getChildWithDefault(self, _name: bytes, _request: IRequest) -> IResource:
        """Have no children."""
        return self

    def putChild(self, _path: bytes, _child: IResource) -> None:
        """Take no children."""


def direct(hosts: Hosts, *rooms: object) -> Mapping[bytes, IResource]:
    """Return what answers at once, by its path."""
    return {
        path.encode(): Direct(_checked(route, method, hosts))
        for room in rooms
        for route, method in routes(room)
        for path in route.paths
        if "<" not in path and not inspect.iscoroutinefunction(method)
    }


def below(hosts: Hosts, *rooms: object) -> Mapping[bytes, IResource]:
    """Return what answers every path that begins in some way, by this beginning."""
    found = {}
    for room in rooms:
        for route, method in routes(room):
            prefix, _, variable = route.path.partition(_REST)
            if variable:
                handler = _named(_checked(route, method, hosts), prefix, variable.rstrip(">"))
                found[prefix.encode()] = Direct(handler)
    return found


def _named(handler: Callable[..., bytes], prefix: str, variable: str) -> Callable[..., bytes]:
    def handle(request: IRequest) -> bytes:
        rest = unquote_to_bytes(request.path[len(prefix) :]).decode("utf-8", "replace")
        return handler(request, **{variable: rest})

    return handle


def _checked(route: Route, method: Callable[..., Any], hosts: Hosts) -> Callable[..., Any]:
    def handle(request: IRequest, **variables: str) -> Any:
        # The router takes `get` for GET, which it is not.
        if request.method not in _METHODS_SENT:
            return _refuse_method(request)
        route.exposure.check(request, hosts)
        return method(request, **variables)

    return handle


def _answer_errors(app: Klein) -> None:
    def refuse(request: IRequest, failure: Failure) -> bytes:
        return send_error(request, cast("ApiError", failure.value))

    def miss(request: IRequest, _failure: Failure) -> bytes:
        return send_error(request, not_found())

    def refuse_method(request: IRequest, _failure: Failure) -> bytes:
        return _refuse_method(request)

    def lead(request: IRequest, _failure: Failure) -> bytes:
        # The router's own address would be wrong behind a proxy that adds a prefix.
        request.setHeader(b"Location", request.path.rpartition(b"/")[2] + b"/")
        return send_error(request, moved())

    def refuse_path(request: IRequest, _failure: Failure) -> bytes:
        return send_error(request, bad_request("The path makes no sense."))

    def break_down(request: IRequest, failure: Failure) -> bytes:
        return _break_down(request, failure)

    # The first one that fits is called.
    handlers: tuple[tuple[type[Exception], Any], ...] = (
        (ApiError, refuse),
        (NotFound, miss),
        (MethodNotAllowed, refuse_method),
        (RequestRedirect, lead),
        (HTTPException, refuse_path),
        (Exception, break_down),
    )
    for error, handler in handlers:
        app.handle_errors(error)(handler)


def _refuse_method(request: IRequest) -> bytes:
    # Nothing here can be changed, so nothing but reading is possible.
    allowed = ", ".join(_METHODS)
    request.setHeader(b"Allow", allowed.encode())
    return send_error(request, method_not_allowed(allowed))


def _break_down(request: IRequest, failure: Failure) -> bytes:
    _log.failure("a request could not be answered", failure=failure)
    return send_error(request, internal())
