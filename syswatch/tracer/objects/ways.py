"""How the object of a call is found, and which bytes its result counts."""

import enum
from typing import NamedTuple


class Way(enum.Enum):
    """How the object of a call is found."""

    NONE = enum.auto()
    # The argument is a descriptor.
    DESCRIPTOR = enum.auto()
    # The argument is a path; if the call has opened it, the result is a descriptor of it.
    PATH = enum.auto()
    OPENED_PATH = enum.auto()
    # The result is a new descriptor.
    RESULT = enum.auto()
    # The argument is an array of two new descriptors.
    PAIR = enum.auto()
    # The argument is the address of a futex.
    FUTEX = enum.auto()
    # The argument is the duration of a sleep.
    SLEEP = enum.auto()
    # The result is the PID of a child.
    CHILD = enum.auto()
    SIGNAL = enum.auto()
    # The argument is a set of descriptors, of which some are ready when the call returns.
    POLL = enum.auto()
    SELECT = enum.auto()
    # The argument is the list of events that an epoll, the first argument, has returned.
    EPOLL = enum.auto()


class Moved(enum.Flag):
    """Which bytes the result of a call counts."""

    NOTHING = 0
    IN = enum.auto()
    OUT = enum.auto()
    # The result is a number of messages, each of which has a length.
    MESSAGES = enum.auto()


# What a call with this flag has received is received again by another one.
MSG_PEEK = 2
# The kernel moves no more in one call.
MOST_MOVED = (1 << 31) - 1


def bytes_moved(result: int) -> int:
    """
    Return the number of bytes that a result stands for; 0 if it cannot be one.

    A program that answers its own calls, by a seccomp filter, can return any number.
    """
    return result if 0 <= result <= MOST_MOVED else 0


class Target(NamedTuple):
    """
    Where the object of a call is.

    The numbers are indexes of arguments, -1 for none: `argument` tells the object, `directory` is a
    descriptor that a path is relative to, and `second` is a descriptor to which the bytes that are
    written are credited.  `flags` are those of a call that may leave in place what it has received.
    `other_path` is a second path, relative to `other_directory`; its object has a row without
    calls.
    """

    way: Way
    argument: int = -1
    directory: int = -1
    second: int = -1
    moved: Moved = Moved.NOTHING
    flags: int = -1
    other_path: int = -1
    other_directory: int = -1
