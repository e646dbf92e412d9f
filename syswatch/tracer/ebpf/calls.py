"""The names of the calls that the program counts."""

from mmap import mmap

import attrs

from syswatch.base.classes import define, frozen
from syswatch.codec.events import ARCHITECTURES
from syswatch.tracer.decode.numbers import signed_32, unsigned_64
from syswatch.tracer.naming import X32_BIT, machine, plain_name_of, shown_name

from . import layout
from .event_layout import UNKNOWN_NUMBER
from .program import Program

# The architectures of 64-bit and of 32-bit calls on this machine.
MACHINE = (machine(), {"x86_64": "i386", "aarch64": "arm"}.get(machine(), "other"))
_NUMBER = 8


@frozen
class CallName:
    """The call that a row of the tables is about."""

    architecture: str
    plain_name: str
    name: str

    @property
    def abi(self) -> str:
        """The architecture, and x32 for its calls."""
        return "x32" if self.name.endswith("@x32") else self.architecture


def name_of_row(row: int) -> CallName:
    """Return the call of a row that belongs to a fixed number."""
    return _call(MACHINE[row // layout.TABLE], row % layout.TABLE)


def name_of_number(number: int) -> CallName:
    """Return the call of a number without a fixed row; the upper half is 1 for 32-bit calls."""
    kind, low = divmod(number, 1 << 32)
    # As ptrace reports it: a negative number fills the register.
    return _call(MACHINE[bool(kind)], unsigned_64(signed_32(low)))


def _call(architecture: str, number: int) -> CallName:
    plain = plain_name_of(architecture, number)
    return CallName(architecture, plain, shown_name(plain, architecture, number))


def architectures() -> tuple[int, int]:
    """Return the architectures of 64-bit and of 32-bit calls, as events have them."""
    known = {name: place for place, name in enumerate(ARCHITECTURES)}
    return known.get(MACHINE[0], 0), known.get(MACHINE[1], 0)


OTHERS = CallName(machine(), "syscall_other", "syscall_other")


@define
class CallNames:
    """Names the rows of the tables; the program stores the numbers of calls without a fixed row."""

    program: Program
    _numbers: mmap = attrs.field(init=False)
    _known: dict[int, CallName] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Map the numbers into memory."""
        self._numbers = self.program.mapped("numbers", _NUMBER * layout.UNLISTED)

    def name(self, row: int) -> CallName:
        """Return the call that a row is about."""
        known = self._known.get(row)
        if known is None:
            known = self._known[row] = self._name(row)
        return known

    def recorded(self, row: int) -> tuple[int, int]:
        """Return number and architecture of a row, as events have them."""
        native, compatible = architectures()
        if row < layout.STRANGE:
            return row % layout.TABLE, (native, compatible)[row // layout.TABLE]
        at = _NUMBER * (row - layout.STRANGE)
        full = int.from_bytes(self._numbers[at : at + _NUMBER], "little")
        if row == layout.OTHERS:
            return UNKNOWN_NUMBER, native
        kind, number = divmod(full, 1 << 32)
        architecture = compatible if kind else native
        if machine() == "x86_64" and not kind and X32_BIT <= number < 2 * X32_BIT:
            number, architecture = number - X32_BIT, ARCHITECTURES.index("x32")
        return min(number, UNKNOWN_NUMBER), architecture

    def _name(self, row: int) -> CallName:
        if row < layout.STRANGE:
            return name_of_row(row)
        if row == layout.OTHERS:
            return OTHERS
        at = _NUMBER * (row - layout.STRANGE)
        return name_of_number(int.from_bytes(self._numbers[at : at + _NUMBER], "little"))
