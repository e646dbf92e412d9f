"""
Routes: a room of the web is a class whose methods are marked with the path they answer.

What is written beside a method (the path, what it answers, its parameters, the first line of
its docstring) is all there is: the router, the index of endpoints and the OpenAPI description
are made from it.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar, cast

import attrs
from klein import Klein
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.iweb import IRequest
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from .answers import JSON, send_error
from .errors import ApiError, bad_request, internal, method_not_allowed, not_found
from .parameters import Parameter

Handler = TypeVar("Handler", bound=Callable[..., Any])
_METHODS: Final = ["GET", "HEAD"]
_MARK: Final = "_syswatch_route"
_log = Logger()


@attrs.frozen
class Route:
    """One path, and what is said of it."""

    path: str
    answers: Any
    content_type: str
    parameters: tuple[Parameter, ...]
    errors: tuple[int, ...]
    description: str

    @property
    def template(self) -> str:
        """The path as people write it, with the variable part in braces."""
        return self.path.replace("<string:", "{").replace(">", "}")


def serves(
    path: str,
    *,
    answers: Any = str,
    content_type: bytes = JSON,
    parameters: tuple[Parameter, ...] = (),
    errors: tuple[int, ...] = (),
) -> Callable[[Handler], Handler]:
    """Mark a method as the one that answers a path."""

    def mark(handler: Handler) -> Handler:
        description = (inspect.getdoc(handler) or "").partition("\n")[0]
        mime = content_type.decode().partition(";")[0]
        setattr(handler, _MARK, Route(path, answers, mime, parameters, errors, description))
        return handler

    return mark


def routes(room: object) -> Iterator[tuple[Route, Callable[..., Any]]]:
    """Yield the marked methods of a room."""
    for _, method in inspect.getmembers(room, inspect.ismethod):
        route = getattr(method, _MARK, None)
        if route is not None:
            yield route, method


def application(*rooms: object) -> Klein:
    """Put rooms together into one application."""
    app = Klein()
    for room in rooms:
        for route, method in routes(room):
            app.route(route.path, endpoint=route.path, methods=_METHODS)(_adapted(method))
    _answer_errors(app)
    return app


def _adapted(method: Callable[..., Any]) -> Callable[..., Any]:
    def handle(request: IRequest, **variables: str) -> Any:
        return method(request, **variables)

    return handle


def _answer_errors(app: Klein) -> None:
    def refuse(request: IRequest, failure: Failure) -> bytes:
        return send_error(request, cast("ApiError", failure.value))

    def miss(request: IRequest, _failure: Failure) -> bytes:
        return send_error(request, not_found())

    def refuse_method(request: IRequest, _failure: Failure) -> bytes:
        # Nothing here can be changed, so nothing but reading is possible.
        allowed = ", ".join(_METHODS)
        request.setHeader(b"Allow", allowed.encode())
        return send_error(request, method_not_allowed(allowed))

    def refuse_path(request: IRequest, _failure: Failure) -> bytes:
        return send_error(request, bad_request("The path makes no sense."))

    def break_down(request: IRequest, failure: Failure) -> bytes:
        _log.failure("a request could not be answered", failure=failure)
        return send_error(request, internal())

    # The first one that fits is called.
    handlers: tuple[tuple[type[Exception], Any], ...] = (
        (ApiError, refuse),
        (NotFound, miss),
        (MethodNotAllowed, refuse_method),
        (HTTPException, refuse_path),
        (Exception, break_down),
    )
    for error, handler in handlers:
        app.handle_errors(error)(handler)
