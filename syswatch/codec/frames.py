"""
The frames on the pipes between a tracer, the service and the recorder.

A frame is a header of five bytes (the kind of the message, and the length of the body in network
byte order) and a body in MessagePack, whose keys are the attribute names of the message.  The
strings of a job come from the command line and need not be UTF-8, so they are sent as bytes; all
others are sent as text.  This module does no I/O: bytes go in with `receive_data`, messages come
out of `events`.
"""

import os
import struct
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from syswatch.base.classes import define
from syswatch.base.lazy import without
from syswatch.model.delta import Delta
from syswatch.model.messages import (
    Attach,
    Deliver,
    Detach,
    Ended,
    Failed,
    ReadLogs,
    Report,
    Reported,
    Resting,
    RunCommand,
    SaveRecording,
    Started,
    Watch,
)

# msgspec prefers this library to what Python has by now; it takes half a megabyte.
with without("typing_extensions"):
    import msgspec

_HEADER = struct.Struct("!BI")
HEADER_BYTES = _HEADER.size
# The largest delta has some 22 MB: as many paths as are tracked, all of the greatest length and
# all failing.
LARGEST_BODY = 64 * 1024 * 1024

Job = ReadLogs | RunCommand | Attach
# What is sent to a tracer that has its job, or to the recorder.
Order = Deliver | Detach | SaveRecording | Report | Watch
Message = Delta | Started | Ended | Failed | Job | Order | Reported | Resting

_KINDS: dict[int, type[Message]] = {
    1: ReadLogs,
    2: RunCommand,
    3: Attach,
    8: Deliver,
    9: Detach,
    10: SaveRecording,
    11: Report,
    12: Watch,
    16: Started,
    17: Delta,
    18: Ended,
    19: Failed,
    20: Reported,
    21: Resting,
}
# What msgspec raises for a body that is damaged, besides its own errors.
BODY_ERRORS = (msgspec.MsgspecError, OverflowError, RecursionError, TypeError, ValueError)
_KIND_NUMBERS = {message: number for number, message in _KINDS.items()}


class WireError(Exception):
    """The bytes are not valid frames."""


def encode(message: Message) -> bytes:
    """Return the frame of a message."""
    content: object = message
    if isinstance(message, Job):
        content = _converted(msgspec.to_builtins(message), str, os.fsencode)
    return frame_of(type(message), msgspec.msgpack.encode(content))


def frame_of(kind: type[Message], body: bytes) -> bytes:
    """Return a frame with a body that is encoded already."""
    return _HEADER.pack(_KIND_NUMBERS[kind], len(body)) + body


def header_of(header: bytes | bytearray) -> tuple[type[Message], int]:
    """Return what a frame holds, and how long its body is."""
    number, length = _HEADER.unpack(header)
    if number not in _KINDS or length > LARGEST_BODY:
        raise WireError(f"not a frame of syswatch: kind {number}, length {length}")
    return _KINDS[number], length


def body_of(frame: bytes) -> memoryview:
    """Return what follows the header of a frame."""
    return memoryview(frame)[_HEADER.size :]


def kind_of(frame: bytes) -> type[Message]:
    """Return what a whole frame holds."""
    return _KINDS[frame[0]]


def decoded(frame: bytes) -> Message:
    """Return the message of a whole frame."""
    return _decode(body_of(frame), kind_of(frame))


@define
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
        for frame in self.undecoded():
            yield decoded(frame), frame

    def undecoded(self) -> Iterator[bytes]:
        """Yield the frame of every complete message."""
        while len(self._buffer) >= _HEADER.size:
            _, length = header_of(self._buffer[: _HEADER.size])
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            frame = bytes(self._buffer[:end])
            del self._buffer[:end]
            yield frame

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


def damaged(kind: type[Message], error: Exception) -> WireError:
    """Return the error that says so of a frame."""
    return WireError(f"a damaged {kind.__name__} frame: {error}")


def _converted(value: object, kind: type, convert: Callable[[Any], object]) -> object:
    """Return plain values with all those of one type converted."""
    match value:
        case dict():
            return {
                _converted(key, kind, convert): _converted(each, kind, convert)
                for key, each in value.items()
            }
        case list() | tuple():
            return [_converted(each, kind, convert) for each in value]
        case _:
            return convert(value) if isinstance(value, kind) else value


def _decode(body: memoryview, kind: type[Message]) -> Message:
    try:
        if issubclass(kind, Job):
            job = _converted(msgspec.msgpack.decode(body), bytes, os.fsdecode)
            return msgspec.convert(job, type=kind)
        return msgspec.msgpack.decode(body, type=kind)
    except BODY_ERRORS as error:
        raise damaged(kind, error) from error
