"""The reads of memory that printing a call needs, as a tracer in the kernel is told them."""

import enum
from collections.abc import Callable

from syswatch.base.classes import frozen

from .strings import LOOK_AHEAD
from .traced_call import Settings

# The result is stored after the registers of the arguments.
ARGUMENTS = 6
RESULT = ARGUMENTS
REGISTER_BYTES = 8


class Form(enum.IntEnum):
    """The form of what a pointer points to."""

    BYTES = 0
    TEXT = 1  # up to a NUL
    LIST = 2  # pointers up to a null pointer
    POINTERS = 3  # as LIST, but only counted
    ENTRIES = 4  # directory entries, only counted


@frozen
class Limit:
    """A number in memory that limits how much is read."""

    at: int
    width: int = REGISTER_BYTES
    scale: int = 1


@frozen
class Read:
    """
    One read: what a pointer points to.

    The pointer and its limit are at offsets in the registers or in the memory of an outer read.
    With a `count`, there are as many pointers, `stride` bytes apart.
    """

    pointer: int
    size: int
    form: Form = Form.BYTES
    width: int = REGISTER_BYTES
    # The size of a pointer in a list.
    unit: int = 0
    limit: Limit | None = None
    stride: int = 0
    count: int = 1
    within: tuple["Read", ...] = ()


@frozen
class PointerArgument:
    """An argument that is a pointer."""

    name: str
    index: int
    settings: Settings

    @property
    def text(self) -> int:
        """The bytes of a text that are read: one more than are printed shows if it is cut."""
        ahead = LOOK_AHEAD if self.settings.redact else 0
        return self.settings.string_limit + 1 + ahead

    def read(self, size: int, form: Form = Form.BYTES, **more: object) -> Read:
        """Return a read of what the argument points to."""
        return Read(REGISTER_BYTES * self.index, size, form, **more)  # type: ignore[arg-type]

    def counted(self, units_at: int, scale: int, most: int, *within: Read) -> Read:
        """Return a read of an array whose length is another argument, or the result."""
        limit = Limit(REGISTER_BYTES * units_at, scale=scale)
        return self.read(scale * most, limit=limit, within=within)


# Makes the read for an argument.
ReadSpec = Callable[[PointerArgument], Read]
