"""What all effects of calls share: the arguments that they read, and adding a descriptor."""

from collections.abc import Callable

from .describe import Owner
from .descriptors import Descriptors, Found
from .observed import ObservedCall

Effect = Callable[[Descriptors, ObservedCall], None]


def descriptor(call: ObservedCall, index: int) -> int:
    """Return an argument as a descriptor; -1 and AT_FDCWD are negative."""
    number = call.number(index) & 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


def owner(call: ObservedCall) -> Owner:
    """Return the process that made a call."""
    return Owner(call.pid, call.comm)


def add(
    tables: Descriptors, call: ObservedCall, fd: int, fallback: Found, *, cloexec: bool
) -> None:
    """Add a new descriptor, which the fallback describes if it cannot be looked up."""
    found = tables.resolve(call.tid, fd) or fallback
    tables.opened(call.tid, fd, found, cloexec=cloexec)
