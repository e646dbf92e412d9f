"""
The binary form of recorded calls.

Tracers write events of a fixed size, so that thousands can be taken from a ring or appended to a
buffer without work for each of them; the recorder reads them as columns.
"""

import enum
import struct
from typing import Final

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
    # Besides MOVED: a path or a peer that the call names besides its object; no bytes were moved.
    NAMED = 128
