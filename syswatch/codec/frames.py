"""
The frames on the pipes between a tracer and the service.

A frame is a header of five bytes (the kind of the message, and the length of the body in network
byte order) and a body in MessagePack, whose keys are the attribute names of the message.  The
strings of a job come from the command line and need not be UTF-8, so they are sent as bytes; all
others are sent as text.  This module does no I/O: bytes go in with `receive_data`, messages come
out of `events`.
"""

import os
import struct
from collections.abc import Iterator

import attrs
import msgspec

from syswatch.model.delta import Delta
from syswatch.model.messages import (
    Attach,
    Deliver,
    Detach,
    Ended,
    Failed,
    ReadLogs,
    RunCommand,
    Started,
)

_HEADER = struct.Struct("!BI")
# The largest delta has some 22 MB: as many paths as are tracked, all of the greatest length and
# all failing.
LARGEST_BODY = 64 * 1024 * 1024

Job = ReadLogs | RunCommand | Attach
Message = Delta | Started | Ended | Failed | Job | Deliver | Detach

_KINDS: dict[int, type[Message]] = {
    1: ReadLogs,
    2: RunCommand,
    3: Attach,
    8: Deliver,
    9: Detach,
    16: Started,
    17: Delta,
    18: Ended,
    19: Failed,
}
# What msgspec raises for a body that is damaged, besides its own errors.
_BODY_ERRORS = (msgspec.MsgspecError, OverflowError, RecursionError, ValueError)
_KIND_NUMBERS = {message: number for number, message in _KINDS.items()}


class WireError(Exception):
    """The bytes are not valid frames."""


def encode(message: Message) -> bytes:
    """Return the frame of a message."""
    content: object = message
    if isinstance(message, Job):
        content = _as_bytes(msgspec.to_builtins(message))
    body = msgspec.msgpack.encode(content)
    return _HEADER.pack(_KIND_NUMBERS[type(message)], len(body)) + body


@attrs.define
class Decoder:
    """Splits a stream of bytes into messages."""

    _buffer: bytearray = attrs.field(factory=bytearray, init=False)

    def receive_data(self, data: bytes) -> None:
        """Append bytes as they arrive."""
        self._buffer += data

    def events(self) -> Iterator[Message]:
        """Yield every complete message."""
        return (message for message, _ in self.frames())

    def frames(self) -> Iterator[tuple[Message, bytes]]:
        """Yield every complete message with its frame."""
        while len(self._buffer) >= _HEADER.size:
            number, length = _HEADER.unpack_from(self._buffer)
            if number not in _KINDS or length > LARGEST_BODY:
                raise WireError(f"not a frame of syswatch: kind {number}, length {length}")
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            frame = bytes(self._buffer[:end])
            del self._buffer[:end]
            yield _decode(memoryview(frame)[_HEADER.size :], _KINDS[number]), frame

    @property
    def missing(self) -> int:
        """How many bytes are missing from the next message, or at first from its header."""
        if len(self._buffer) < _HEADER.size:
            return _HEADER.size - len(self._buffer)
        length: int = _HEADER.unpack_from(self._buffer)[1]
        return max(_HEADER.size + length - len(self._buffer), 0)

    @property
    def pending(self) -> int:
        """How many bytes of an incomplete message are buffered."""
        return len(self._buffer)


def _as_bytes(value: object) -> object:
    """Return the content of a job with its strings as the bytes that the kernel takes."""
    match value:
        case str():
            return os.fsencode(value)
        case dict():
            return {_as_bytes(key): _as_bytes(each) for key, each in value.items()}
        case list() | tuple():
            return list(map(_as_bytes, value))
        case _:
            return value


def _as_text(value: object) -> object:
    match value:
        case bytes():
            return os.fsdecode(value)
        case dict():
            return {_as_text(key): _as_text(each) for key, each in value.items()}
        case list():
            return list(map(_as_text, value))
        case _:
            return value


def _decode(body: memoryview, kind: type[Message]) -> Message:
    try:
        if issubclass(kind, Job):
            return msgspec.convert(_as_text(msgspec.msgpack.decode(body)), type=kind)
        return msgspec.msgpack.decode(body, type=kind)
    except _BODY_ERRORS as error:
        raise WireError(f"a damaged {kind.__name__} frame: {error}") from error
