"""
The pipe that carries recorded calls to the recorder.

Events and what belongs to them travel in frames: a kind, the length of the body, and the body.
Texts come before the events that they belong to.
"""

import enum
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

import attrs
import msgspec

from syswatch.base.classes import define

from .events import EVENT
from .frames import WireError
from .log_calls import LogCalls


class Text(NamedTuple):
    """The decoded arguments and result of a call, which thread and start identify."""

    tid: int
    start_ns: int
    arguments: str
    result: str


class Loss(NamedTuple):
    """How many calls of a thread that ended in a second are missing."""

    tid: int
    second: int
    calls: int


class Life(NamedTuple):
    """
    What is known of a process; several about one process add up.

    PIDs are reused: the start tells processes with the same PID apart.
    """

    pid: int
    # None if it started before the trace.
    start_ns: int | None
    # 0 if unknown.
    parent: int
    command: str
    command_line: str
    end_ns: int | None = None
    exit_code: int | None = None
    exit_signal: int | None = None


class Kind(enum.IntEnum):
    """The kinds of frames."""

    EVENTS = 1
    TEXTS = 2
    LOSSES = 3
    LIVES = 4
    LOG_CALLS = 5


HEADER: Final = struct.Struct("<BI")
# No tracer sends more at once.
LARGEST_BODY: Final = 64 << 20
_TYPES: Final = {
    Kind.TEXTS: list[Text],
    Kind.LOSSES: list[Loss],
    Kind.LIVES: list[Life],
    Kind.LOG_CALLS: LogCalls,
}
Records = list[Text] | list[Loss] | list[Life] | LogCalls


def encode(kind: Kind, records: Records) -> bytes:
    """Return the frame of some records."""
    body = msgspec.msgpack.encode(records)
    return HEADER.pack(kind, len(body)) + body


def header_of_events(size: int) -> bytes:
    """Return what precedes events of so many bytes."""
    return HEADER.pack(Kind.EVENTS, size)


@define
class EventDecoder:
    """Splits a stream of bytes into frames."""

    _buffer: bytearray = attrs.field(factory=bytearray, init=False)

    def receive_data(self, data: bytes) -> None:
        """Append bytes as they arrive."""
        self._buffer += data

    def frames(self) -> Iterator[bytes | Records]:
        """Yield what is complete: whole events as bytes, or records."""
        while len(self._buffer) >= HEADER.size:
            number, size = HEADER.unpack_from(self._buffer)
            if number not in set(Kind) or size > LARGEST_BODY:
                raise WireError(f"not a frame of events: kind {number}, length {size}")
            end = HEADER.size + size
            if len(self._buffer) < end:
                return
            body = bytes(memoryview(self._buffer)[HEADER.size : end])
            del self._buffer[:end]
            yield _decode(Kind(number), body)

    @property
    def pending(self) -> int:
        """How many bytes of an incomplete frame are buffered."""
        return len(self._buffer)


def _decode(kind: Kind, body: bytes) -> bytes | Records:
    if kind is Kind.EVENTS:
        if len(body) % EVENT.size:
            raise WireError(f"events of {len(body)} bytes")
        return body
    try:
        records: Records = msgspec.msgpack.decode(body, type=_TYPES[kind])
    except msgspec.MsgspecError as error:
        raise WireError(f"a damaged frame of {kind.name.lower()}: {error}") from error
    return records
