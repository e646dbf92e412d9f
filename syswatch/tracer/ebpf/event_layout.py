"""Structures for recorded calls, as in event_layout.h."""

import ctypes
from ctypes import c_int64, c_uint8, c_uint16, c_uint32, c_uint64

from syswatch.codec.events import FIELDS

UNKNOWN_NUMBER = 65535
COMMAND_LINE = 512
_TYPES = {"Q": c_uint64, "q": c_int64, "I": c_uint32, "H": c_uint16, "B": c_uint8}


class Event(ctypes.Structure):
    """A call."""

    _fields_ = tuple((name, _TYPES[code]) for name, code in FIELDS)


class EventRing(ctypes.Structure):
    """The ring of events of one CPU."""

    _fields_ = (
        ("head", c_uint64),
        ("done", c_uint64),
        ("before", c_uint64),
        ("lost", c_uint64),
        ("unused", c_uint64 * 4),
        ("tail", c_uint64),
        ("padding", c_uint64 * 7),
    )


class LostKey(ctypes.Structure):
    """A thread and a second of the time of day."""

    _fields_ = (("tid", c_uint32), ("second", c_uint32))


class CommandLine(ctypes.Structure):
    """What a process was started with."""

    _fields_ = (("length", c_uint64), ("text", c_uint8 * COMMAND_LINE))


# How large one value of each map is.
VALUES = {
    "events": ctypes.sizeof(Event),
    "event_rings": ctypes.sizeof(EventRing),
    "lost_calls": 8,
    "command_lines": ctypes.sizeof(CommandLine),
}
# The structures, by the names that they have in the program.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "event": Event,
    "event_ring": EventRing,
    "lost_key": LostKey,
    "command_line": CommandLine,
}
