"""
The names of system calls as they are displayed.

A 64-bit program may use the 32-bit interface of the kernel (`int 0x80`), where the same number is
another call.  Such a call is displayed with its architecture, as `write@i386`, so that it is never
counted under the name of another call.
"""

import platform

from syswatch.codec.events import ARCHITECTURES
from syswatch.model.catalog import name_of, names

# The x32 ABI of x86-64 is marked by a bit in the number of the call.
X32_BIT = 0x40000000


def machine() -> str:
    """Return the architecture of this machine, as named in the tables of calls."""
    return platform.machine()


def plain_name_of(architecture: str, number: int) -> str:
    """Return the name of a call in the table of its architecture, or else its number as a text."""
    if _is_x32(architecture, number):
        number -= X32_BIT
    try:
        name = name_of(number, architecture)
    except KeyError:  # There is no table for this architecture.
        name = None
    return name or f"syscall_{number:#x}"


def shown_name(plain_name: str, architecture: str, number: int) -> str:
    """Add the architecture to a name, unless it is that of the machine."""
    if _is_x32(architecture, number):
        return f"{plain_name}@x32"
    return plain_name if architecture == machine() else f"{plain_name}@{architecture}"


def recorded_name(place: int, number: int) -> str:
    """Return the displayed name of a recorded call; `place` is that of its architecture."""
    architecture = ARCHITECTURES[place] if place < len(ARCHITECTURES) else "unknown"
    if architecture == "x32":
        architecture, number = "x86_64", number | X32_BIT
    return shown_name(plain_name_of(architecture, number), architecture, number)


def numbers_of(architecture: str, wanted: frozenset[str]) -> frozenset[int]:
    """Return all numbers of some calls on an architecture."""
    numbers = frozenset(number for number, name in names(architecture).items() if name in wanted)
    if architecture == "x86_64":
        return numbers | {X32_BIT | number for number in numbers}
    return numbers


def _is_x32(architecture: str, number: int) -> bool:
    return architecture == "x86_64" and bool(number & X32_BIT) and number < 1 << 31
