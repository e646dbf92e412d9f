"""
The binary form of recorded calls, and the pipe that carries them to the recorder.

Tracers write events of a fixed size, so that thousands can be taken from a ring or appended to a
buffer without work for each of them; the recorder reads them as columns.  On the pipe, events and
what belongs to them travel in frames: a kind, the length of the body, and the body.  Texts come
before the events that they belong to.
"""

import enum
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

import attrs
import msgspec

from .frames import WireError
from .log_calls import LogCalls

# The fields in their order: name, and format as in `struct`.
FIELDS: Final = (
    ("start_ns", "Q"),  # Time of day.
    ("duration_ns", "Q"),  # Or UNFINISHED_NS.
    ("waiting_ns", "Q"),
    ("ready_ns", "Q"),
    ("object", "Q"),  # The ID, or 0.
    ("result", "q"),  # A negated errno if the call failed.
    ("bytes", "Q"),  # How many the call moved, as the activity counts them.
    *((f"argument{index}", "Q") for index in range(6)),
    ("pid", "I"),
    ("tid", "I"),
    ("number", "H"),  # Without the bit that marks x32.
    ("architecture", "B"),  # An index into ARCHITECTURES.
    ("flags", "B"),
    ("cpu", "I"),  # Or UNKNOWN_CPU.
    ("sequence", "Q"),  # Without gaps on one CPU: a gap is a loss.
)
EVENT: Final = struct.Struct("<" + "".join(code for _, code in FIELDS))
ARCHITECTURES: Final = ("x86_64", "i386", "x32", "aarch64", "arm")
# The duration of a call that had not returned when tracing ended.
UNFINISHED_NS: Final = (1 << 64) - 1
UNKNOWN_CPU: Final = (1 << 32) - 1


class Flag(enum.IntFlag):
    """What else is known of an event."""

    WAITED = 1
    # The time waiting is an estimate.
    ESTIMATED = 2
    # It began before its thread was attached to; the start is that of the trace.
    UNTIMED = 4
    UNFINISHED = 8
    # Not a call, but the bytes that a call with the same thread and start moved to a second object.
    MOVED = 16
    # The arguments were not recorded.
    NO_ARGUMENTS = 32
    FAILED = 64


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


@attrs.define
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
