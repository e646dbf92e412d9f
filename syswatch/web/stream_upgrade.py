"""The WebSocket handshake of the stream: its checks, its errors and its OpenAPI description."""

import re
from http import HTTPStatus
from typing import Any, Final, cast

from twisted.web.http import Request
from twisted.web.http_headers import Headers
from twisted.web.iweb import IRequest
from twisted.web.resource import Resource

from syswatch.base.classes import frozen
from syswatch.settings.access import Token

from . import urls
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
from .parameters import Json
from .responses import send_error
from .stream_on_demand import StreamOnDemand
from .tokens import is_in_header_or_query

STREAM_SUMMARY: Final = "Push the statistics of all system calls over a WebSocket."
STREAM_ERRORS: Final = tuple(map(HTTPStatus, (400, 401, 403, 405, 426, 503)))
# Browsers cannot set headers on a WebSocket, so the query may hold the token.
STREAM_TOKENS: Final[Json] = {"token_in_query": {"type": "apiKey", "in": "query", "name": "token"}}
_VERSION: Final = "13"
_KEY: Final = "[A-Za-z0-9+/]{22}=="
_KEY_PATTERN: Final = re.compile(_KEY.encode())
_HEADERS: Final[dict[str, Json]] = {
    "Upgrade": {"enum": ["websocket"]},
    "Connection": {"enum": ["Upgrade"]},
    "Sec-WebSocket-Version": {"enum": [_VERSION]},
    "Sec-WebSocket-Key": {"pattern": f"^{_KEY}$"},
}
# Headers that tell a refused client what is supported.
_HINTS: Final = {
    400: {b"Sec-WebSocket-Version": _VERSION.encode()},
    405: {b"Allow": b"GET"},
    426: {b"Upgrade": b"websocket"},
}


@frozen(slots=False)
class StreamResource(Resource):
    """The resource of the stream, which checks a request before the upgrade."""

    stream: StreamOnDemand
    hosts: Hosts
    token: Token | None = None
    isLeaf = True

    def render(self, request: IRequest) -> Any:
        """Upgrade the connection, or respond with an error."""
        refusal = self._refusal(request)
        if refusal is not None:
            for name, value in _HINTS.get(refusal.status, {}).items():
                request.setHeader(name, value)
            return send_error(request, refusal)
        _simplify(request)
        upgraded = self.stream.upgrade().render(request)
        # The request and its channel refer to each other and are no longer needed.
        cast("Request", request).channel.requests.clear()
        return upgraded

    def _refusal(self, request: IRequest) -> ApiError | None:
        if self.token is not None and not is_in_header_or_query(self.token, request):
            return unauthorized()
        if request.method != b"GET":
            return method_not_allowed("GET")
        if not self.hosts.is_same_origin(request):
            return forbidden_origin()
        if (request.getHeader(b"upgrade") or b"").lower() != b"websocket":
            return upgrade_required()
        return _handshake_error(request) or (too_many_clients() if self.stream.is_full else None)


def stream_operation(refusals: Json) -> Json:
    """
    Return the OpenAPI operation; `refusals` are its error responses by status.

    OpenAPI cannot describe messages on a WebSocket, so a sentence does.
    """
    return {
        "summary": STREAM_SUMMARY,
        "description": "After the handshake, the server sends text messages with the same content "
        "as /api/stats: one at once, then one per second. Clients need not send anything.",
        "operationId": "stream",
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "schema": {"type": "string", **schema},
            }
            for name, schema in _HEADERS.items()
        ],
        "responses": {
            "101": {
                "description": HTTPStatus.SWITCHING_PROTOCOLS.phrase,
                "headers": {
                    "Sec-WebSocket-Accept": {"required": True, "schema": {"type": "string"}}
                },
            },
            **refusals,
        },
        "security": [{}, {"token": []}, *({name: []} for name in STREAM_TOKENS)],
    }


def _handshake_error(request: IRequest) -> ApiError | None:
    """Return the error in a handshake; Autobahn would send one without a body."""
    connection = (request.getHeader(b"connection") or b"").lower().split(b",")
    if getattr(request, "clientproto", b"") != b"HTTP/1.1" or b"upgrade" not in map(
        bytes.strip, connection
    ):
        return bad_handshake("An upgrade needs HTTP/1.1 and 'Connection: Upgrade'.")
    versions = request.requestHeaders.getRawHeaders(b"sec-websocket-version")
    if versions != [_VERSION.encode()]:
        return bad_handshake(f"Sec-WebSocket-Version must be {_VERSION}.")
    keys = request.requestHeaders.getRawHeaders(b"sec-websocket-key", [])
    if len(keys) != 1 or not _KEY_PATTERN.fullmatch(keys[0]):
        return bad_handshake("Sec-WebSocket-Key must be 16 bytes in base64.")
    return None


def _simplify(request: IRequest) -> None:
    """
    Remove all headers that the upgrade does not need.

    Autobahn parses the request again.  The other headers have been checked here, or ask for
    subprotocols and extensions, which are not supported: compression would cost five times as much
    per client as everything else.
    """
    needed = {name: request.requestHeaders.getRawHeaders(name) or [] for name in _HEADERS}
    request.requestHeaders = Headers({"Host": ["localhost"], **needed})
    request.uri = urls.STREAM.encode()
