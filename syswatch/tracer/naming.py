"""
The names of system calls, as they are shown.

A 64-bit program may call the 32-bit kernel (`int 0x80`), where the same number is another call.
Such a call is named after its own table and marked, as `write@i386`, so that it is never counted
under the name of another; the calls of a program's own kind have plain names.
"""

import platform

from syswatch.model.catalog import name_of, names

# The x32 ABI of x86-64 is told by a bit in the number of the call.
_X32_BIT = 0x40000000


def machine() -> str:
    """Return the architecture of this machine, as the tables name it."""
    return platform.machine()


def plain_name_of(architecture: str, number: int) -> str:
    """Return the name of a call in its own table; a number that is not in there, as a text."""
    if _is_x32(architecture, number):
        number -= _X32_BIT
    try:
        name = name_of(number, architecture)
    except KeyError:  # No table: a kind of program that nobody has given us names for.
        name = None
    return name or f"syscall_{number:#x}"


def shown_name(plain_name: str, architecture: str, number: int) -> str:
    """Mark a name that is not of the machine's own kind."""
    if _is_x32(architecture, number):
        return f"{plain_name}@x32"
    return plain_name if architecture == machine() else f"{plain_name}@{architecture}"


def numbers_of(architecture: str, wanted: frozenset[str]) -> frozenset[int]:
    """Return all numbers by which a program of an architecture can make some calls."""
    numbers = frozenset(number for number, name in names(architecture).items() if name in wanted)
    if architecture == "x86_64":
        return numbers | {_X32_BIT | number for number in numbers}
    return numbers


def _is_x32(architecture: str, number: int) -> bool:
    return architecture == "x86_64" and bool(number & _X32_BIT) and number < 1 << 31
