"""
The frames between a service and the process that reads a recording for it.

A frame is the length of its body in four bytes and a body in MessagePack: a question with its
number, or the answer to the question with that number.
"""

import struct
from collections.abc import Iterator

import attrs
import msgspec

from syswatch.base.classes import define
from syswatch.codec.frames import WireError

_HEADER = struct.Struct("!I")
_LARGEST_BODY = 64 << 20


class Asked(msgspec.Struct, frozen=True):
    """A request by its name, with the question as MessagePack."""

    number: int
    name: str
    question: bytes


class Answered(msgspec.Struct, frozen=True):
    """The answer to a request as MessagePack; or what is wrong with it or its question."""

    number: int
    answer: bytes = b""
    error: str = ""
    is_mistake: bool = False


def encode(message: Asked | Answered) -> bytes:
    """Return the frame of a message."""
    body = msgspec.msgpack.encode(message)
    if len(body) > _LARGEST_BODY:
        raise WireError("the answer is too large")
    return _HEADER.pack(len(body)) + body


@define
class Receiver:
    """Splits a stream of bytes into the bodies of frames."""

    _buffer: bytearray = attrs.field(factory=bytearray, init=False)

    def receive_data(self, data: bytes) -> Iterator[bytes]:
        """Yield the bodies that are complete with these bytes."""
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._buffer)
            if length > _LARGEST_BODY:
                raise WireError(f"a frame of {length} bytes")
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            yield body
