"""The root of the server: the door that every request passes, and what is behind it."""

from collections.abc import Callable, Mapping
from urllib.parse import unquote_to_bytes

import attrs
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource
from zope.interface import implementer

from syswatch.settings.access import Token

from . import urls
from .answers import send_error
from .errors import ApiError, bad_encoding, bad_target, not_found, unauthorized
from .hosts import Hosts
from .tokens import is_in_header

_STREAM = urls.STREAM.encode()


@implementer(IResource)
@attrs.frozen
class Refusal:
    """Answers one error, whatever the path."""

    error: ApiError
    isLeaf = True

    def render(self, request: IRequest) -> bytes:
        """Answer."""
        return send_error(request, self.error)

    def getChildWithDefault(self, _name: bytes, _request: IRequest) -> IResource:
        """Stay the same on every path."""
        return self

    def putChild(self, _path: bytes, _child: IResource) -> None:
        """Take no children."""


@implementer(IResource)
@attrs.frozen
class Root:
    """
    Hands a request to what answers its path at once, to the stream, or to everything else.

    The stream is kept apart from Klein: it takes over the connection.  It has a token of its
    own, and checks it before anything is upgraded.
    """

    everything_else: IResource
    stream: IResource
    hosts: Hosts
    token: Token | None = None
    is_public: Callable[[bytes], bool] = attrs.field(default=lambda _path: False)
    at_once: Mapping[bytes, IResource] = attrs.field(factory=dict)
    # What answers every path that begins with one of these.
    below: Mapping[bytes, IResource] = attrs.field(factory=dict)
    isLeaf = False

    def getChildWithDefault(self, _name: bytes, request: IRequest) -> IResource:
        """Choose, after a look at who asks."""
        path = request.path
        refusal = self.hosts.refusal(request, any_name=urls.is_for_probes(path))
        if refusal is not None:
            return Refusal(refusal)
        if not path.startswith(b"/"):
            return Refusal(bad_target())
        if path == _STREAM:
            return self.stream
        if self._lacks_token(request):
            return Refusal(unauthorized())
        return self.at_once.get(path) or self._below(path) or self._by_router(request)

    def _below(self, path: bytes) -> IResource | None:
        found = (resource for prefix, resource in self.below.items() if path.startswith(prefix))
        return next(found, None)

    def _by_router(self, request: IRequest) -> IResource:
        try:
            unquote_to_bytes(request.path).decode("utf-8")
        except UnicodeDecodeError:
            return Refusal(bad_encoding())
        # Klein's resource is a leaf: it wants the whole path before it.
        request.postpath.insert(0, request.prepath.pop())
        return self.everything_else

    def putChild(self, _path: bytes, _child: IResource) -> None:
        """Take no children but those given at the start."""

    def render(self, request: IRequest) -> bytes:
        """Refuse: never reached, as every path has at least one part, be it an empty one."""
        return send_error(request, not_found())

    def _lacks_token(self, request: IRequest) -> bool:
        if self.token is None or self.is_public(request.path):
            return False
        return not is_in_header(self.token, request)
