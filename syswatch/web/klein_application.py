"""The paths that Klein finds: those with variables, and those that are answered later."""

from typing import Any, cast

from klein import Klein
from twisted.python.failure import Failure
from twisted.web.iweb import IRequest
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import RequestRedirect

from .errors import ApiError, bad_request, moved, not_found
from .handlers import checked, refuse_method, send_internal_error
from .responses import send_error
from .routes import REST, Entrance, routes


def klein_application(entrance: Entrance, *endpoints: object) -> Klein:
    """Return a Klein application with all paths that it can match."""
    app = Klein()
    # A path with a doubled slash is unknown; a redirect would only hide the mistake.
    app.url_map.merge_slashes = False
    for route, method in routes(*endpoints):
        for path in route.paths:
            if REST not in path:
                handler = checked(route, method, entrance)
                app.route(path, endpoint=path, methods=route.methods)(handler)
    _handle_errors(app)
    return app


def _handle_errors(app: Klein) -> None:
    def send_api_error(request: IRequest, failure: Failure) -> bytes:
        return send_error(request, cast("ApiError", failure.value))

    def send_not_found(request: IRequest, _failure: Failure) -> bytes:
        return send_error(request, not_found())

    def refuse(request: IRequest, failure: Failure) -> bytes:
        allowed = cast("MethodNotAllowed", failure.value).valid_methods or ()
        # The router adds OPTIONS, and sorts as sets do.
        return refuse_method(request, sorted(set(allowed) - {"OPTIONS"}))

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
        (MethodNotAllowed, refuse),
        (RequestRedirect, redirect),
        (HTTPException, refuse_path),
        (Exception, send_internal_error),
    )
    for error, handler in handlers:
        app.handle_errors(error)(handler)
