"""Numbers that have names: words of flags, and enumerations."""

from collections.abc import Mapping
from functools import lru_cache

import attrs

_MASK = {32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}


def table(text: str) -> dict[str, int]:
    """Read `NAME=VALUE` pairs; a name without a value is one more than the name before it."""
    names: dict[str, int] = {}
    following = 0
    for word in text.split():
        name, _, value = word.partition("=")
        names[name] = int(value, 0) if value else following
        following = names[name] + 1
    return names


@attrs.frozen(eq=False)  # Told apart by what they are, which makes them quick keys.
class FlagSet:
    """
    A word of flags, in the order in which they are printed.

    A name for several bits comes before the names of its parts.
    """

    names: Mapping[str, int]
    unknown: str
    zero: str = "0"
    bits: int = 32

    def __call__(self, value: int) -> str:
        """Return the names, and in hexadecimal what no name covers."""
        return _flags(self, value & _MASK[self.bits])

    def bare(self, value: int) -> str:
        """Return the names without a word about what is missing; nothing for zero."""
        found, rest = self.split(value)
        return "|".join([*found, f"{rest:#x}"] if rest else found)

    def split(self, value: int) -> tuple[list[str], int]:
        """Return the names that apply, and what is left."""
        found = []
        for name, bits in self.names.items():
            if value & bits == bits:
                found.append(name)
                value &= ~bits
        return found, value


@lru_cache(maxsize=4096)
def _flags(word: FlagSet, value: int) -> str:
    if not value:
        return word.zero
    found, rest = word.split(value)
    if not found:
        return f"{value:#x} /* {word.unknown} */"
    return "|".join([*found, f"{rest:#x}"] if rest else found)


class Enumeration:
    """A number that is one of several names."""

    def __init__(self, names: Mapping[str, int], unknown: str) -> None:
        """Turn a table round."""
        self._names = {value & _MASK[32]: name for name, value in names.items()}
        self._unknown = unknown

    def __call__(self, value: int) -> str:
        """Return the name, or the number with a word that says what kind of name is missing."""
        value &= _MASK[32]
        name = self._names.get(value)
        if name is not None:
            return name
        number = f"{value:#x}" if value else "0"
        return f"{number} /* {self._unknown} */"

    def name(self, value: int) -> str | None:
        """Return the name, if there is one."""
        return self._names.get(value & _MASK[32])


def enumeration(unknown: str, text: str) -> Enumeration:
    """Make an enumeration of a table's text."""
    return Enumeration(table(text), unknown)


def flags(unknown: str, text: str, zero: str = "0", bits: int = 32) -> FlagSet:
    """Make a word of flags of a table's text."""
    return FlagSet(table(text), unknown, zero, bits)
