"""Structures for what rules for calls are made of, as in evidence_layout.h."""

import ctypes
from ctypes import c_uint8, c_uint32, c_uint64

from .activity_layout import COMM

RULED = 3
MOST_OF_PROGRAMS = 14_000
MOST_OF_VALUES = 3_000


class Ruled(ctypes.Structure):
    """The arguments of a call that rules can depend on."""

    _fields_ = (
        ("masks", c_uint32 * RULED),
        ("positions", c_uint8 * RULED),
        ("count", c_uint8),
    )


class EvidenceKey(ctypes.Structure):
    """A call of a program, with the values of those arguments."""

    _fields_ = (
        ("program", c_uint64 * (COMM // 8)),
        ("row", c_uint32),
        ("values", c_uint32 * RULED),
        ("valued", c_uint8),
        ("refused", c_uint8),
        ("side", c_uint8),
        ("padding", c_uint8 * 5),
    )


class Evidence(ctypes.Structure):
    """How often such a call was made, and when the first one began."""

    _fields_ = (("count", c_uint64), ("first_ns", c_uint64))


# How large one value of each map is.
VALUES = {"evidence": ctypes.sizeof(Evidence)}
# The structures, by the names that they have in the program.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "ruled": Ruled,
    "evidence_key": EvidenceKey,
    "evidence": Evidence,
}
