"""WebSocket frames, as far as tests write and read them."""

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
# Protocol violations with the close code that each must cause.
VIOLATIONS = (
    (b"GET / HTTP/1.1\r\n\r\n", 1002),
    (b"\xff" * 200, 1002),
    (b"\x81\x83" + _MASK + b"\xff\xfe\xfd", 1007),  # invalid UTF-8
    (b"\x83\x80" + _MASK, 1002),  # an unknown opcode
    (b"\x8b\x80" + _MASK, 1002),  # an unknown control opcode
    (b"\xc1\x81" + _MASK + b"x", 1002),  # a bit of an extension that was not negotiated
    (b"\x81\x03abc", 1002),  # not masked
    (b"\x80\x80" + _MASK, 1002),  # a continuation without a start
    (b"\x01\x80" + _MASK + b"\x81\x80" + _MASK, 1002),  # a start within a fragmented message
    (b"\x09\x80" + _MASK, 1002),  # a fragmented ping
    (b"\x88\x81" + _MASK + b"x", 1002),  # a truncated close code
    (b"\x88\x82" + _MASK + b"\0\0", 1002),  # an invalid close code
    (b"\x88\x84" + _MASK + b"\x03\xe8\xff\xff", 1007),  # a close reason that is not UTF-8
    (b"\x89\xfe\xff\xff" + _MASK, 1002),  # a ping that is too long
    (b"\x81\xfe\x10\x00" + _MASK, 1009),  # a message that is too long
    (
        b"\x01\xfe\x04\x00" + _MASK + b"x" * 1024 + b"\x80\x81" + _MASK + b"x",
        1009,
    ),  # the same in fragments
    (b"\x82\xff" + b"\0" * 4 + b"\x7f" + b"\0" * 3 + _MASK, 1009),  # longer than the maximum
    (b"\x81\xff" + b"\xff" * 8 + _MASK, 1002),  # a length with the highest bit set
)


@attrs.frozen
class Frame:
    """A frame from the server."""

    kind: int
    payload: bytes

    @property
    def json(self) -> Any:
        """The payload, decoded as JSON."""
        return json.loads(self.payload)

    @property
    def close_code(self) -> int:
        """The code of a close frame."""
        code: int = struct.unpack("!H", self.payload[:2])[0]
        return code


def frames(data: bytes) -> Iterator[Frame]:
    """Split data of a server into frames, which are neither masked nor fragmented."""
    while data:
        kind, size, data = data[0] & 0x0F, data[1], data[2:]
        width = {126: 2, 127: 8}.get(size, 0)
        if width:
            size, data = int.from_bytes(data[:width], "big"), data[width:]
        yield Frame(kind, data[:size])
        data = data[size:]


def client_frame(kind: int, payload: bytes) -> bytes:
    """Return a short frame as a client sends it, with a mask of zeros."""
    return bytes((0x80 | kind, 0x80 | len(payload))) + _MASK + payload


class Listener:
    """A stream client."""

    def __init__(
        self, served: Served, headers: dict[str, str] | None = None, target: str = "/stream"
    ) -> None:
        self.connection: Connection = served.connect()
        raw = self.connection.send(request(target, {**UPGRADE, **(headers or {})}))
        self.head, _, self._rest = raw.partition(b"\r\n\r\n")
        self.connection.transport.clear()

    def received(self) -> list[Frame]:
        """Return the frames since the last call."""
        data = self._rest + self.connection.transport.value()
        self._rest = b""
        self.connection.transport.clear()
        return list(frames(data))

    def send(self, kind: int, payload: bytes) -> None:
        """Send a frame."""
        self.connection.transport.protocol.dataReceived(client_frame(kind, payload))
