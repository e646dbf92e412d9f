"""One call while it is being printed: what every printer is given."""

import struct
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from syswatch.base.redaction import Redactor

from .memory import Memory

WORD_BYTES = {"i386": 4}
# Of these calls of 32-bit programs, too, the times have 64 bits.
_WIDE_TIMES = frozenset(
    f"{name}64"
    for name in (
        *("clock_gettime", "clock_settime", "timer_gettime", "timer_settime"),
        *("timerfd_gettime", "timerfd_settime"),
    )
)


class UnreadableError(Exception):
    """The target's memory is not there; what was to be read is printed as its address."""


@attrs.frozen
class Settings:
    """What is the same for all calls of one trace."""

    architecture: str
    string_limit: int = 32
    descriptor_paths: bool = False
    redact: Redactor = attrs.field(factory=lambda: Redactor(()))

    @property
    def word_size(self) -> int:
        """How many bytes a pointer or a C `long` has."""
        return WORD_BYTES.get(self.architecture, 8)

    @property
    def is_64_bit(self) -> bool:
        """Whether this is a 64-bit architecture."""
        return self.architecture not in WORD_BYTES


def time_bytes(name: str, settings: Settings) -> int:
    """Return how many bytes each number of a time has, which is told by the name of the call."""
    return 8 if name.endswith("_time64") or name in _WIDE_TIMES else settings.word_size


@attrs.define
class TracedCall:
    """A call at its entry or at its exit; `before` is what was kept of the entry."""

    name: str
    args: tuple[int, ...]
    memory: Memory
    settings: Settings
    ret: int = 0
    failed: bool = False
    before: Mapping[int, Any] = attrs.field(factory=dict)

    def argument(self, index: int) -> int:
        """Return a raw argument; a call that was given too few has zeroes."""
        return self.args[index] if index < len(self.args) else 0

    def read(self, address: int, length: int) -> bytes:
        """Return exactly so many bytes."""
        data = self.memory.read(address, length) if length > 0 else b""
        if len(data) != length:
            raise UnreadableError
        return data

    def unpack(self, layout: struct.Struct, address: int) -> tuple[Any, ...]:
        """Return the fields of a structure."""
        return layout.unpack(self.read(address, layout.size))

    def integer(self, address: int, length: int = 4, *, signed: bool = True) -> int:
        """Return a number."""
        return int.from_bytes(self.read(address, length), "little", signed=signed)

    def pointer(self, address: int) -> int:
        """Return an address that is itself in memory."""
        return self.integer(address, self.settings.word_size, signed=False)

    def string(self, address: int, limit: int) -> bytes:
        """Return what stands before a NUL, at most so many bytes."""
        data = self.memory.string(address, limit)
        if data is None:
            raise UnreadableError
        return data


# What makes text of the argument at a position.
Printer = Callable[[TracedCall, int], str]
# What keeps of an argument, before the call, what the kernel may overwrite.
SaveAtEntry = Callable[[TracedCall, int], Any]
# What makes text of an address that is not null; the position tells where related arguments are.
PointerPrinter = Callable[[TracedCall, int, int], str]


def by_value(text_of: Callable[[int], str]) -> Printer:
    """Make a printer of a function that needs nothing but the number."""
    return lambda call, index: text_of(call.argument(index))


def address_text(address: int) -> str:
    """Return an address as strace prints it."""
    return f"{address:#x}" if address else "NULL"


def follow(show: PointerPrinter) -> Printer:
    """Make a printer of what shows the memory of the caller behind an address."""

    def printer(call: TracedCall, index: int) -> str:
        address = call.argument(index)
        if not address:
            return "NULL"
        try:
            return show(call, index, address)
        except UnreadableError:
            return f"{address:#x}"

    return printer


def follow_on_success(show: PointerPrinter) -> Printer:
    """Make a printer of what the kernel has put behind an address, if the call succeeded."""
    read = follow(show)

    def printer(call: TracedCall, index: int) -> str:
        return address_text(call.argument(index)) if call.failed else read(call, index)

    return printer
