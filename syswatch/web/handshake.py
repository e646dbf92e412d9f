"""
The stream in the description of the API: the request that asks for it, and what may be answered.

It is no route, because it takes over the connection.  OpenAPI ends where the WebSocket begins, so
what is sent then is told in words.
"""

from http import HTTPStatus
from typing import Final

from .parameters import Json

SUMMARY: Final = "Push the table of calls over a WebSocket."
VERSION: Final = "13"
KEY: Final = "[A-Za-z0-9+/]{22}=="
REFUSALS: Final = tuple(map(HTTPStatus, (400, 401, 403, 405, 426, 503)))
# The token of the stream may stand in the query, which a browser has no other way to send.
TOKENS: Final[Json] = {"token_in_query": {"type": "apiKey", "in": "query", "name": "token"}}
_HEADERS: Final[dict[str, Json]] = {
    "Upgrade": {"enum": ["websocket"]},
    "Connection": {"enum": ["Upgrade"]},
    "Sec-WebSocket-Version": {"enum": [VERSION]},
    "Sec-WebSocket-Key": {"pattern": f"^{KEY}$"},
}


def operation(refusals: Json) -> Json:
    """Return what is said of the stream; `refusals` are its answers by their status."""
    return {
        "summary": SUMMARY,
        "description": "After the handshake each message is what /api/stats answers, as text: "
        "one at once, then one a second. Nothing is expected from the client.",
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
        "security": [{}, {"token": []}, *({name: []} for name in TOKENS)],
    }
