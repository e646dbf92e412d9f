"""What calls the handlers of requests, and sends the errors that they raise."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.iweb import IRequest
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET

from syswatch.base.classes import frozen

from .errors import ApiError, internal_error, method_not_allowed
from .responses import send_error
from .routes import Entrance, Route

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
            return send_internal_error(request, Failure())


def checked(route: Route, method: Callable[..., Any], entrance: Entrance) -> Callable[..., Any]:
    """Return a handler that checks a request before the method of a route answers it."""
    methods = frozenset(method.encode() for method in route.methods)

    def handle(request: IRequest, **variables: str) -> Any:
        # Methods are case-sensitive, which the router ignores.
        if request.method not in methods:
            return refuse_method(request, route.methods)
        return entrance.enter(route, request, lambda: method(request, **variables))

    return handle


def refuse_method(request: IRequest, methods: Iterable[str]) -> bytes:
    """Send the error for a method that a path does not have."""
    allowed = ", ".join(methods)
    request.setHeader(b"Allow", allowed.encode())
    return send_error(request, method_not_allowed(allowed))


def send_internal_error(request: IRequest, failure: Failure) -> bytes:
    """Send the error for an exception, which is logged."""
    _log.failure("a request could not be handled", failure=failure)
    return send_error(request, internal_error())


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
        return send_internal_error(request, failure)

    answered.addErrback(send_failure).addCallback(send)
    return NOT_DONE_YET
