"""
Routes: the methods that respond to a path, marked with `serves`.

The arguments of `serves` and the first line of the method's docstring are the only description of
an endpoint: the router, the access checks, the index and the OpenAPI document are made from them.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import Any, Final, TypeVar

from twisted.internet.defer import Deferred
from twisted.web.iweb import IRequest

from syswatch.base.classes import frozen

from .errors import forbidden_origin
from .hosts import Hosts
from .parameters import Parameter
from .responses import JSON

Handler = TypeVar("Handler", bound=Callable[..., Any])
_READING: Final = ("GET", "HEAD")
_CHANGING: Final = ("POST",)
# A variable of this kind matches the rest of the path, whatever it contains.
REST: Final = "<path:"
_MARK: Final = "_syswatch_route"
# Probes and pages have other paths.
_OF_TRACE: Final = ("/api/", "/metrics")
_VARIABLE: Final = re.compile(r"<\w+:(\w+)>")


class Exposure(Enum):
    """How far a path is open to clients without a token and to pages of other origins."""

    # Needs no token and may be loaded by any page: it holds no data and costs nothing.
    PUBLIC = auto()
    # Needs the token, if there is one.  Pages of other origins may only link to it.
    DATA = auto()
    # May not even be linked to: it changes something, keeps the server busy, or blocks other
    # profiles.
    COSTLY = auto()

    def check(self, request: IRequest, hosts: Hosts) -> None:
        """Raise an error for a request that a page of another origin may not cause."""
        if self is Exposure.PUBLIC or hosts.is_same_origin(request):
            return
        if self is Exposure.COSTLY or not _is_followed_link(request):
            raise forbidden_origin()


@frozen
class Route:
    """The path of an endpoint and its description."""

    path: str
    aliases: tuple[str, ...]
    answers: Any
    content_types: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    errors: tuple[int, ...]
    exposure: Exposure
    description: str
    methods: tuple[str, ...]

    @property
    def template(self) -> str:
        """The path with its variable in braces."""
        return _VARIABLE.sub(r"{\1}", self.path)

    @property
    def paths(self) -> tuple[str, ...]:
        """The path and its aliases."""
        return (self.path, *self.aliases)

    @property
    def method(self) -> str:
        """The method that is described; HEAD is that of GET without a body."""
        return self.methods[0]

    @property
    def has_numbers(self) -> bool:
        """Return whether a response has numbers of the trace, which must be new."""
        return self.path.startswith(_OF_TRACE)

    @property
    def is_public(self) -> bool:
        """Return whether the path needs no token."""
        return self.exposure is Exposure.PUBLIC


@frozen
class Entrance:
    """What a request passes before its handler is called."""

    hosts: Hosts
    # Returns a Deferred if the newest numbers have to be awaited.
    refresh: Callable[[], Deferred[None] | None]

    def enter(self, route: Route, request: IRequest, handle: Callable[[], Any]) -> Any:
        """Check a request, and call its handler as soon as the numbers are new."""
        route.exposure.check(request, self.hosts)
        refreshed = self.refresh() if route.has_numbers else None
        return handle() if refreshed is None else Deferred.fromCoroutine(_after(refreshed, handle))


async def _after(refreshed: Deferred[None], handle: Callable[[], Any]) -> Any:
    await refreshed
    response = handle()
    return await response if inspect.isawaitable(response) else response


def serves(  # noqa: PLR0913  all but the first are keywords
    path: str,
    *,
    aliases: tuple[str, ...] = (),
    answers: Any = str,
    content_type: bytes = JSON,
    alternatives: tuple[bytes, ...] = (),
    parameters: tuple[Parameter, ...] = (),
    errors: tuple[int, ...] = (),
    exposure: Exposure = Exposure.DATA,
    changes: bool = False,
) -> Callable[[Handler], Handler]:
    """Mark a method as the handler of a path, by POST if it changes something."""

    def mark(handler: Handler) -> Handler:
        description = (inspect.getdoc(handler) or "").partition("\n")[0]
        types = tuple(
            each.decode().partition(";")[0] for each in dict.fromkeys((content_type, *alternatives))
        )
        route = Route(
            path,
            aliases,
            answers,
            types,
            parameters,
            errors,
            Exposure.COSTLY if changes else exposure,
            description,
            _CHANGING if changes else _READING,
        )
        setattr(handler, _MARK, route)
        return handler

    return mark


def routes(*endpoints: object) -> Iterator[tuple[Route, Callable[..., Any]]]:
    """Yield the marked methods of objects, with their routes."""
    for each in endpoints:
        for _, method in inspect.getmembers(each, inspect.ismethod):
            route = getattr(method, _MARK, None)
            if route is not None:
                yield route, method


def _is_followed_link(request: IRequest) -> bool:
    """Return whether a browser displays the response itself, so that no page can read it."""
    return (
        request.getHeader(b"sec-fetch-mode") == b"navigate"
        and request.getHeader(b"sec-fetch-dest") == b"document"
        and request.getHeader(b"origin") is None
    )
