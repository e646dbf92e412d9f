"""A sample of a call, as the kernel has written it."""

import struct
from typing import NamedTuple

from . import layout

# Without the paths of descriptors and the memory.
_HEADER = struct.Struct(f"Qq{layout.ARGUMENTS}Q4I3Q2I")
_LAST_ERROR = 4095

Raw = bytes


class Header(NamedTuple):
    """The numbers in a sample."""

    began_ns: int
    result: int
    arguments: tuple[int, ...]
    tid: int
    row: int
    shown: int
    waits: int
    duration_ns: int
    waiting_ns: int
    ready_ns: int
    object: int
    thread: int

    @property
    def is_unfinished(self) -> bool:
        """Return whether the call has not returned."""
        return bool(self.shown & layout.UNFINISHED)

    @property
    def has_failed(self) -> bool:
        """Return whether the result is an error."""
        return is_error(self.result)


def header_of(raw: Raw) -> Header:
    """Return the numbers in a sample."""
    began_ns, result, *rest = _HEADER.unpack_from(raw)
    arguments = tuple(rest[: layout.ARGUMENTS])
    return Header(began_ns, result, arguments, *rest[layout.ARGUMENTS :])


def is_error(result: int) -> bool:
    """Return whether a result is a negated errno."""
    return -_LAST_ERROR <= result < 0
