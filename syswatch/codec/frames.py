"""
The language on the pipes between a tracer and its service.

A frame is five bytes of header (kind, length of the body in network order) and a body in
MessagePack, whose keys are the attribute names of the message.  The texts of a job are what a
user has typed and need not be UTF-8, so they travel as bytes; all others are text.  This file is
the only one that knows; it does no I/O: bytes go in with `receive_data`, messages come out of
`events`.
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
# The largest honest delta is some 22 MB: every path tracked, at its longest, and failing.
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
# What msgspec raises for a body that is none, besides its own errors.
_DAMAGES = (msgspec.MsgspecError, OverflowError, RecursionError, ValueError)
_NUMBERS = {message: number for number, message in _KINDS.items()}


class WireError(Exception):
    """The bytes are not frames of this language."""


def encode(message: Message) -> bytes:
    """Return the frame of a message."""
    content: object = message
    if isinstance(message, Job):
        content = _as_bytes(msgspec.to_builtins(message))
    body = msgspec.msgpack.encode(content)
    return _HEADER.pack(_NUMBERS[type(message)], len(body)) + body


@attrs.define
class Decoder:
    """Turns bytes, however they are cut, into messages."""

    _buffer: bytearray = attrs.field(factory=bytearray, init=False)

    def receive_data(self, data: bytes) -> None:
        """Take bytes as they arrive."""
        self._buffer += data

    def events(self) -> Iterator[Message]:
        """Yield every message that has arrived whole."""
        return (message for message, _ in self.frames())

    def frames(self) -> Iterator[tuple[Message, bytes]]:
        """Yield every message that has arrived whole, each with its frame."""
        while len(self._buffer) >= _HEADER.size:
            number, length = _HEADER.unpack_from(self._buffer)
            if number not in _KINDS or length > LARGEST_BODY:
                raise WireError(f"no frame of syswatch: kind {number}, length {length}")
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            frame = bytes(self._buffer[:end])
            del self._buffer[:end]
            yield _decode(memoryview(frame)[_HEADER.size :], _KINDS[number]), frame

    @property
    def missing(self) -> int:
        """How many bytes complete the next message, or at least its header; never more."""
        if len(self._buffer) < _HEADER.size:
            return _HEADER.size - len(self._buffer)
        length: int = _HEADER.unpack_from(self._buffer)[1]
        return max(_HEADER.size + length - len(self._buffer), 0)

    @property
    def pending(self) -> int:
        """How many bytes of an incomplete message wait for their rest."""
        return len(self._buffer)


def _as_bytes(value: object) -> object:
    """Return what a job holds with its texts as the bytes that the kernel knows."""
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
    except _DAMAGES as error:
        raise WireError(f"a damaged {kind.__name__} frame: {error}") from error
