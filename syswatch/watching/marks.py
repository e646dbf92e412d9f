"""
The calls that mark where a block begins and where it ends.

They are calls of getpid with arguments, which the kernel ignores and every sandbox admits.  The
tracer reports them among the other calls of their thread, so that what comes before the first or
after the second is not in the block, whatever the tracer and this process do meanwhile.
"""

import ctypes
import enum
import platform
from collections.abc import Callable

from .errors import WatchError

# The first argument of a mark.
MAGIC = 0x7379_7377_6174_6368
NUMBERS = {"x86_64": 39, "aarch64": 172}


class Edge(enum.IntEnum):
    """What a mark stands for."""

    BEGIN = 0
    END = 1
    # The next calls of this thread are not those of the program, but of this package.
    PAUSE = 2
    RESUME = 3


def mark(token: int, edge: Edge) -> Callable[[], object]:
    """
    Return a function that makes the call; everything that it needs is prepared.

    The library is called through `PyDLL`, which keeps the interpreter lock: to release and take it
    again could be calls of futex in the block.
    """
    number = NUMBERS.get(platform.machine())
    if number is None:
        raise WatchError(f"blocks cannot be watched on {platform.machine()}; watching.run() can")
    arguments = (
        ctypes.c_long(number),
        *map(ctypes.c_ulong, (MAGIC, token, edge)),
    )
    call = ctypes.PyDLL(None).syscall

    def make() -> object:
        return call(*arguments)

    return make
