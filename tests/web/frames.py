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
_MASK = b"\0\0\0\0"
# Each breaks another rule.
NO_FRAMES = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"\xff" * 200,
    b"\x81\x83" + _MASK + b"\xff\xfe\xfd",  # no UTF-8
    b"\x83\x80" + _MASK,  # a kind that there is not
    b"\x81\x03abc",  # not masked
    b"\x80\x80" + _MASK,  # goes on where nothing began
    b"\x88\x81" + _MASK + b"x",  # half a code
    b"\x88\x82" + _MASK + b"\0\0",  # a code that there is not
    b"\x88\x84" + _MASK + b"\x03\xe8\xff\xff",  # a reason that is no UTF-8
    b"\x89\xfe\xff\xff" + _MASK,  # a long ping
    b"\x81\xfe\x10\x00" + _MASK,  # more than clients may say
    b"\x81\xff" + b"\xff" * 8 + _MASK,  # more than anybody may say
)


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
    return bytes((0x80 | kind, 0x80 | len(payload))) + _MASK + payload


class Listener:
    """A client of the stream."""

    def __init__(
        self, served: Served, headers: dict[str, str] | None = None, target: str = "/stream"
    ) -> None:
        self.connection: Connection = served.connect()
        raw = self.connection.send(request(target, {**UPGRADE, **(headers or {})}))
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
