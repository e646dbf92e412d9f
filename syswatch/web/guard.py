"""The door of the server: who may ask at all."""

import ipaddress
import re

import attrs
from twisted.internet.interfaces import IAddress
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource, Resource
from zope.interface import implementer

from .answers import send_error
from .errors import forbidden_host

_HOST = re.compile(rb"(\[[0-9a-fA-F:.%]+\]|[^:]*)(?::\d*)?$")


@implementer(IResource)
@attrs.define(slots=False, eq=False)
class Guard:
    """
    Lets requests through whose Host is one of ours.

    A page on another site can make a browser ask us under a name of its own that points at a
    loopback address; what it cannot do is to make the browser call us by ours.
    """

    _inner: IResource
    allowed_hosts: frozenset[str] = frozenset()
    isLeaf = False  # noqa: N815  the name is Twisted's

    def getChildWithDefault(self, _name: bytes, request: IRequest) -> IResource:
        """Pass on, or refuse whatever the path."""
        if not is_ours(request.getHeader(b"host"), request.getHost(), self.allowed_hosts):
            return _Refusal()
        # Klein's resource is a leaf: it wants the whole path before it.
        request.postpath.insert(0, request.prepath.pop())
        return self._inner

    def putChild(self, path: bytes, child: IResource) -> None:
        """Let the inner resource decide."""
        self._inner.putChild(path, child)

    def render(self, request: IRequest) -> bytes:
        """Never reached: every path has at least one part."""
        return send_error(request, forbidden_host())


class _Refusal(Resource):
    isLeaf = True

    def render(self, request: IRequest) -> bytes:
        """Refuse."""
        return send_error(request, forbidden_host())


def is_ours(header: bytes | None, bound: IAddress, allowed: frozenset[str]) -> bool:
    """Say whether a Host header names us; a client that sends none is no browser."""
    address = getattr(bound, "host", None)
    if header is None or address is None:
        return True
    match = _HOST.match(header)
    if match is None:
        return False
    name = match[1].decode("ascii", "replace").lower().rstrip(".")
    return name in allowed or name == "localhost" or _same_address(name.strip("[]"), address)


def _same_address(name: str, bound: str) -> bool:
    try:
        named = ipaddress.ip_address(name)
    except ValueError:
        return False
    return named.is_loopback or named == ipaddress.ip_address(bound.partition("%")[0])
