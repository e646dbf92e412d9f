"""A call that is being printed: its registers, its result and the memory of its caller."""

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import attrs

from syswatch.base.classes import define, frozen
from syswatch.base.redaction import Redactor
from syswatch.model.catalog import ArgumentKind as Kind

WORD_BYTES = {"i386": 4}
# The smallest page of any architecture.
_PAGE = 4096
# Calls of 32-bit programs whose times have 64 bits, besides those named *_time64.
_TIME64_CALLS = frozenset(
    f"{name}64"
    for name in (
        *("clock_gettime", "clock_settime", "timer_gettime", "timer_settime"),
        *("timerfd_gettime", "timerfd_settime"),
    )
)


class Memory(Protocol):
    """The memory of one process; reading it never raises, whatever the address."""

    def read(self, address: int, length: int) -> bytes:
        """Return the bytes at an address; fewer where readable memory ends."""

    def string(self, address: int, limit: int) -> bytes | None:
        """Return a string without its NUL, at most `limit` bytes; None if it is unreadable."""

    def link(self, name: str) -> bytes:
        """Return the target of a link in the /proc directory of the process; empty if unknown."""

    def counted(self, address: int) -> int | None:
        """Return the number of elements at an address, if it was counted before."""

    def netlink(self, descriptor: int) -> int | None:
        """Return the protocol of a netlink socket; None if it is not one, or not known."""


class UnreadableError(Exception):
    """Memory of the tracee cannot be read, so the address is printed instead."""


@frozen
class Settings:
    """Settings of a trace that affect how its calls are printed."""

    architecture: str
    string_limit: int = 32
    descriptor_paths: bool = False
    redact: Redactor = attrs.field(factory=lambda: Redactor(()))

    @property
    def word_size(self) -> int:
        """The size of a pointer or a C `long` in bytes."""
        return WORD_BYTES.get(self.architecture, 8)

    @property
    def is_64_bit(self) -> bool:
        """Whether the architecture is a 64-bit one."""
        return self.architecture not in WORD_BYTES


def time_bytes(name: str, settings: Settings) -> int:
    """Return the size of each of the two numbers of a time, which depends on the call."""
    return 8 if name.endswith("_time64") or name in _TIME64_CALLS else settings.word_size


@define
class TracedCall:
    """A call at its entry or at its exit; `before` has the numbers saved at the entry."""

    name: str
    args: tuple[int, ...]
    memory: Memory
    settings: Settings
    ret: int = 0
    failed: bool = False
    before: Mapping[int, Any] = attrs.field(factory=dict)

    def argument(self, index: int) -> int:
        """Return an argument as it was in the register; missing arguments are zero."""
        return self.args[index] if index < len(self.args) else 0

    def unsigned_int(self, index: int) -> int:
        """Return an argument as a C `unsigned int`."""
        return self.argument(index) & 0xFFFFFFFF

    def read(self, address: int, length: int) -> bytes:
        """Return exactly so many bytes; raise UnreadableError."""
        data = self.memory.read(address, length) if length > 0 else b""
        if len(data) != length:
            raise UnreadableError
        return data

    def unpack(self, layout: struct.Struct, address: int) -> tuple[Any, ...]:
        """Return the fields of a structure."""
        return layout.unpack(self.read(address, layout.size))

    def integer(self, address: int, length: int = 4, *, signed: bool = True) -> int:
        """Return a number of so many bytes."""
        return int.from_bytes(self.read(address, length), "little", signed=signed)

    def pointer(self, address: int) -> int:
        """Return a pointer that is in memory."""
        return self.integer(address, self.settings.word_size, signed=False)

    def pointers(self, address: int) -> Iterator[int]:
        """Yield the pointers of an array that ends with a null pointer; raise UnreadableError."""
        word = self.settings.word_size
        while True:
            # Page by page, because the next one may not be readable.
            data = self.memory.read(address, max(_PAGE - address % _PAGE, word))
            size = len(data) // word * word
            if not size:
                raise UnreadableError
            for at in range(0, size, word):
                pointer = int.from_bytes(data[at : at + word], "little")
                if not pointer:
                    return
                yield pointer
            address += size

    def string(self, address: int, limit: int) -> bytes:
        """Return a string without its NUL, at most so many bytes."""
        data = self.memory.string(address, limit)
        if data is None:
            raise UnreadableError
        return data


# Formats the argument at an index.
Printer = Callable[[TracedCall, int], str]
# Returns what must be saved of an argument before the call, since the kernel overwrites it.
SaveAtEntry = Callable[[TracedCall, int], Any]
# Formats what a pointer points to; the index is that of the pointer, so that printers find
# related arguments.
PointerPrinter = Callable[[TracedCall, int, int], str]


@frozen
class Printers:
    """
    The printers of one module, by the kind of argument and by what they read.

    `numbers`: the number alone; `registers`: other registers or properties of the call as well;
    `descriptors`: the paths of descriptors; `at_entry`: memory that the caller has filled;
    `at_exit`: memory that the kernel has filled.  What the kernel overwrites of input that is
    printed at the exit is `saved_at_entry`.
    """

    numbers: Mapping[Kind, Callable[[int], str]] = attrs.field(factory=dict)
    registers: Mapping[Kind, Printer] = attrs.field(factory=dict)
    descriptors: Mapping[Kind, Printer] = attrs.field(factory=dict)
    at_entry: Mapping[Kind, Printer] = attrs.field(factory=dict)
    at_exit: Mapping[Kind, Printer] = attrs.field(factory=dict)
    saved_at_entry: Mapping[Kind, SaveAtEntry] = attrs.field(factory=dict)


def by_value(text_of: Callable[[int], str]) -> Printer:
    """Make a printer of a function of the number."""
    return lambda call, index: text_of(call.argument(index))


def address_text(address: int) -> str:
    """Return an address as strace prints it."""
    return f"{address:#x}" if address else "NULL"


def follow(show: PointerPrinter) -> Printer:
    """Make a printer that follows a pointer, or prints its address if that cannot be read."""

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
    """Make a printer that follows a pointer to output, which is unset if the call failed."""
    read = follow(show)

    def printer(call: TracedCall, index: int) -> str:
        return address_text(call.argument(index)) if call.failed else read(call, index)

    return printer
