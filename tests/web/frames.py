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
# Each breaks another rule; beside it is the code that the client is told.
VIOLATIONS = (
    (b"GET / HTTP/1.1\r\n\r\n", 1002),
    (b"\xff" * 200, 1002),
    (b"\x81\x83" + _MASK + b"\xff\xfe\xfd", 1007),  # no UTF-8
    (b"\x83\x80" + _MASK, 1002),  # a kind that there is not
    (b"\x8b\x80" + _MASK, 1002),  # such a kind of control
    (b"\xc1\x81" + _MASK + b"x", 1002),  # a bit of an extension that was not agreed to
    (b"\x81\x03abc", 1002),  # not masked
    (b"\x80\x80" + _MASK, 1002),  # goes on where nothing began
    (b"\x01\x80" + _MASK + b"\x81\x80" + _MASK, 1002),  # begins where something goes on
    (b"\x09\x80" + _MASK, 1002),  # half a ping
    (b"\x88\x81" + _MASK + b"x", 1002),  # half a code
    (b"\x88\x82" + _MASK + b"\0\0", 1002),  # a code that there is not
    (b"\x88\x84" + _MASK + b"\x03\xe8\xff\xff", 1007),  # a reason that is no UTF-8
    (b"\x89\xfe\xff\xff" + _MASK, 1002),  # a long ping
    (b"\x81\xfe\x10\x00" + _MASK, 1009),  # more than clients may say
    (b"\x01\xfe\x04\x00" + _MASK + b"x" * 1024 + b"\x80\x81" + _MASK + b"x", 1009),  # in parts
    (b"\x82\xff" + b"\0" * 4 + b"\x7f" + b"\0" * 3 + _MASK, 1009),  # more than fits anywhere
    (b"\x81\xff" + b"\xff" * 8 + _MASK, 1002),  # more than can be said
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
