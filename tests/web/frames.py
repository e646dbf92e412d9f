"""WebSocket frames, as far as tests need to write and read them."""

import json
import struct
from collections.abc import Iterator
from typing import Any

import attrs

from tests.web.served import Connection, Served, request

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


@attrs.frozen
class Frame:
    """One frame from the server."""

    kind: int
    payload: bytes

    @property
    def json(self) -> Any:
        """The payload, decoded."""
        return json.loads(self.payload)

    @property
    def close_code(self) -> int:
        """The code of a closing frame."""
        code: int = struct.unpack("!H", self.payload[:2])[0]
        return code


def frames(data: bytes) -> Iterator[Frame]:
    """Take frames of a server apart; they are not masked and not split."""
    while data:
        kind, size, data = data[0] & 0x0F, data[1], data[2:]
        width = {126: 2, 127: 8}.get(size, 0)
        if width:
            size, data = int.from_bytes(data[:width], "big"), data[width:]
        yield Frame(kind, data[:size])
        data = data[size:]


def client_frame(kind: int, payload: bytes) -> bytes:
    """Return a short frame as a client sends it, masked with zeroes."""
    return bytes((0x80 | kind, 0x80 | len(payload))) + b"\0\0\0\0" + payload


class Listener:
    """A client of the stream."""

    def __init__(self, served: Served, headers: dict[str, str] | None = None) -> None:
        self.connection: Connection = served.connect()
        raw = self.connection.send(request("/stream", {**UPGRADE, **(headers or {})}))
        self.head, _, self._rest = raw.partition(b"\r\n\r\n")
        self.connection.transport.clear()

    def received(self) -> list[Frame]:
        """Return the frames since the last time."""
        data = self._rest + self.connection.transport.value()
        self._rest = b""
        self.connection.transport.clear()
        return list(frames(data))

    def send(self, kind: int, payload: bytes) -> None:
        """Send a frame."""
        self.connection.transport.protocol.dataReceived(client_frame(kind, payload))
