"""The root of the server: the door that every request passes, and what is behind it."""

import attrs
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource
from zope.interface import implementer

from . import urls
from .answers import send_error
from .errors import ApiError, forbidden_host, unauthorized
from .hosts import Hosts
from .tokens import Token


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
    Hands a request to the stream or to everything else.

    The stream is kept apart from Klein: it takes over the connection.  It has a token of its
    own, and checks it before anything is upgraded.
    """

    everything_else: IResource
    stream: IResource
    hosts: Hosts
    token: Token | None = None
    isLeaf = False

    def getChildWithDefault(self, name: bytes, request: IRequest) -> IResource:
        """Choose, after a look at who asks."""
        if not self.hosts.is_ours(request):
            return Refusal(forbidden_host())
        # Klein's resource is a leaf: it wants the whole path before it.
        request.postpath.insert(0, request.prepath.pop())
        if request.postpath == [urls.STREAM.strip("/").encode()]:
            return self.stream
        if self.token is not None and not urls.is_open(request.path):
            if not self.token.is_in_header(request):
                return Refusal(unauthorized())
        return self.everything_else

    def putChild(self, _path: bytes, _child: IResource) -> None:
        """Take no children but those given at the start."""

    def render(self, request: IRequest) -> bytes:
        """Never reached: every path has at least one part, be it an empty one."""
        return self.everything_else.render(request)
