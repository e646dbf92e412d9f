"""
Symbolic names of numbers: sets of flags and enumerations, which strace calls xlat tables.

A table is written as text, in the order in which flags are printed: `O_CREAT=0x40 O_EXCL=0x80`.
Printers ask it for names by number, and for numbers by name, so that no number stands twice.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

from syswatch.base.classes import frozen

V = TypeVar("V")
_MASK = {32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}


def table(text: str) -> dict[str, int]:
    """Parse `NAME=VALUE` pairs; a name without a value is one more than the name before it."""
    names: dict[str, int] = {}
    following = 0
    for pair in text.split():
        name, _, value = pair.partition("=")
        names[name] = int(value, 0) if value else following
        following = names[name] + 1
    return names


@frozen(eq=False)  # Compared by identity, which makes it a fast key of a cache.
class FlagSet:
    """
    The flags of one number, in the order in which they are printed.

    A name of several bits comes before the names of its parts.
    """

    names: Mapping[str, int]
    unknown: str
    zero: str = "0"
    bits: int = 32

    def __call__(self, value: int) -> str:
        """Return the names, and in hexadecimal the bits without one."""
        return _flags(self, value & _MASK[self.bits])

    def __getitem__(self, name: str) -> int:
        """Return the value of a flag."""
        return self.names[name]

    def mask(self, names: str) -> int:
        """Return the bits of several flags."""
        bits = 0
        for name in names.split():
            bits |= self.names[name]
        return bits

    def bare(self, value: int) -> str:
        """Return the names without a comment on unknown bits; nothing for zero."""
        found, rest = self.split(value)
        return "|".join([*found, f"{rest:#x}"] if rest else found)

    def split(self, value: int) -> tuple[list[str], int]:
        """Return the names of the flags that are set, and the bits without one."""
        found = []
        for name, bits in self.names.items():
            if value & bits == bits:
                found.append(name)
                value &= ~bits
        return found, value


@lru_cache(maxsize=4096)
def _flags(flag_set: FlagSet, value: int) -> str:
    if not value:
        return flag_set.zero
    found, rest = flag_set.split(value)
    if not found:
        return f"{value:#x} /* {flag_set.unknown} */"
    return "|".join([*found, f"{rest:#x}"] if rest else found)


class Enumeration:
    """A number of which each value has one name."""

    def __init__(self, names: Mapping[str, int], unknown: str) -> None:
        """Index the table by number."""
        self._numbers = {name: value & _MASK[32] for name, value in names.items()}
        self._names = {value: name for name, value in self._numbers.items()}
        self._unknown = unknown

    def __call__(self, value: int) -> str:
        """Return the name, or the number with a comment on the kind of name that is missing."""
        value &= _MASK[32]
        name = self._names.get(value)
        if name is not None:
            return name
        number = f"{value:#x}" if value else "0"
        return f"{number} /* {self._unknown} */"

    @property
    def names(self) -> Mapping[str, int]:
        """Return the numbers by name."""
        return self._numbers

    def __getitem__(self, name: str) -> int:
        """Return the number of a name, as the 32 bits in which it is passed."""
        return self._numbers[name]

    def name(self, value: int) -> str | None:
        """Return the name, if there is one."""
        return self._names.get(value & _MASK[32])

    def numbers(self, names: str) -> frozenset[int]:
        """Return the numbers of several names."""
        return frozenset(self._numbers[name] for name in names.split())

    def by_number(self, by_names: Mapping[str, V]) -> dict[int, V]:
        """Return a mapping whose keys are lists of names as one with their numbers as keys."""
        return {
            number: value for names, value in by_names.items() for number in self.numbers(names)
        }


def enumeration(unknown: str, text: str) -> Enumeration:
    """Make an enumeration of the text of a table."""
    return Enumeration(table(text), unknown)


def flags(unknown: str, text: str, zero: str = "0", bits: int = 32) -> FlagSet:
    """Make a set of flags of the text of a table."""
    return FlagSet(table(text), unknown, zero, bits)
