"""Memory: what is free goes back to the kernel when somebody says that it is much."""

import ctypes
import gc
from contextlib import suppress


def give_back() -> None:
    """
    Give what is free to the kernel; it takes some 50 ms.

    The allocator of C keeps it for the next time, and so do the free lists of the interpreter:
    a few of those objects are enough to hold a megabyte each.
    """
    gc.collect()
    # Not every C library has it.
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
