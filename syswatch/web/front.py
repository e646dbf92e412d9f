"""The front of the server: which part of it answers which path."""

import attrs
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource
from zope.interface import implementer


@implementer(IResource)
@attrs.define(slots=False, eq=False)
class Front:
    """Passes what is for people to the pages, and everything else to the API."""

    _pages: IResource
    _api: IResource
    isLeaf = False

    def getChildWithDefault(self, name: bytes, request: IRequest) -> IResource:
        """Choose by the first part of the path."""
        # Klein's resources are leaves: they want the whole path before them.
        request.postpath.insert(0, request.prepath.pop())
        return self._pages if name in (b"", b"static", b"syscall") else self._api

    def putChild(self, path: bytes, child: IResource) -> None:
        """Let the API decide."""
        self._api.putChild(path, child)

    def render(self, request: IRequest) -> bytes:
        """Never reached: every path has at least one part."""
        body: bytes = self._api.render(request)
        return body
