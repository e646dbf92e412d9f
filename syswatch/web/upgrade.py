"""The upgrade to the stream: who may listen, decided before the connection is handed over."""

import re
from typing import Any, cast

import attrs
from twisted.web.http import Request
from twisted.web.http_headers import Headers
from twisted.web.iweb import IRequest
from twisted.web.resource import IResource
from zope.interface import implementer

from syswatch.settings.access import Token

from . import handshake, urls
from .answers import send_error
from .errors import (
    ApiError,
    bad_handshake,
    forbidden_origin,
    method_not_allowed,
    too_many_clients,
    unauthorized,
    upgrade_required,
)
from .hosts import Hosts
from .stream import Stream
from .tokens import is_in_header_or_query

_VERSION = handshake.VERSION.encode()
_KEY = re.compile(handshake.KEY.encode())
_NEEDED = (b"Upgrade", b"Connection", b"Sec-WebSocket-Version", b"Sec-WebSocket-Key")
# What a refused client is told to do better.
_HINTS = {
    400: {b"Sec-WebSocket-Version": _VERSION},
    405: {b"Allow": b"GET"},
    426: {b"Upgrade": b"websocket"},
}


@implementer(IResource)
@attrs.frozen
class StreamResource:
    """Decides who may listen, before anything is upgraded."""

    stream: Stream
    hosts: Hosts
    token: Token | None = None
    isLeaf = True

    def render(self, request: IRequest) -> Any:
        """Refuse, or hand the connection over."""
        refusal = self._refusal(request)
        if refusal is not None:
            for name, value in _HINTS.get(refusal.status, {}).items():
                request.setHeader(name, value)
            return send_error(request, refusal)
        _simplify(request)
        upgraded = self.stream.upgrade().render(request)
        # It and its channel hold each other, and nobody else needs either any more.
        cast("Request", request).channel.requests.clear()
        return upgraded

    def getChildWithDefault(self, _name: bytes, _request: IRequest) -> IResource:
        """Have no children."""
        return self

    def putChild(self, _path: bytes, _child: IResource) -> None:
        """Take no children."""

    def _refusal(self, request: IRequest) -> ApiError | None:
        if self.token is not None and not is_in_header_or_query(self.token, request):
            return unauthorized()
        if request.method != b"GET":
            return method_not_allowed("GET")
        if not self.hosts.is_same_origin(request):
            return forbidden_origin()
        if (request.getHeader(b"upgrade") or b"").lower() != b"websocket":
            return upgrade_required()
        return _mistake(request) or (too_many_clients() if self.stream.is_full else None)


def _mistake(request: IRequest) -> ApiError | None:
    """
    Return what is wrong with a handshake.

    Autobahn would find it, too, but answers without a body.
    """
    connection = (request.getHeader(b"connection") or b"").lower().split(b",")
    if getattr(request, "clientproto", b"") != b"HTTP/1.1" or b"upgrade" not in map(
        bytes.strip, connection
    ):
        return bad_handshake("An upgrade needs HTTP/1.1 and 'Connection: Upgrade'.")
    if request.requestHeaders.getRawHeaders(b"sec-websocket-version") != [_VERSION]:
        return bad_handshake("Only version 13 of the WebSocket protocol is spoken.")
    keys = request.requestHeaders.getRawHeaders(b"sec-websocket-key", [])
    if len(keys) != 1 or not _KEY.fullmatch(keys[0]):
        return bad_handshake("Sec-WebSocket-Key must be 16 bytes in base64.")
    return None


def _simplify(request: IRequest) -> None:
    """
    Leave of a request what an upgrade needs.

    Autobahn reads it once more.  The rest was looked at here, or is nothing that we agree to:
    protocols, and extensions.  Compression, which is one, costs five times as much as all the
    rest, for each client.
    """
    needed = {name: request.requestHeaders.getRawHeaders(name) or [] for name in _NEEDED}
    request.requestHeaders = Headers({b"Host": [b"localhost"], **needed})
    request.uri = urls.STREAM.encode()
