"""How the C library manages the memory of this process."""

import ctypes
from contextlib import suppress

# Options of `mallopt`: what is larger is not reused, and how much of what is free is kept.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
# The most that it accepts.
_LARGEST_REUSED = 32 << 20


def release_freed_memory() -> None:
    """Give freed memory back to the kernel, which takes some milliseconds."""
    with suppress(AttributeError):  # Not every C library has this.
        ctypes.CDLL(None).malloc_trim(0)


def keep_freed_memory(most: int) -> None:
    """
    Keep memory that is freed, up to so many bytes, for what comes next.

    The C library gives large blocks back to the kernel, which clears each page that is used again.
    Where columns of some megabytes come and go, that takes up to a third of the time.
    """
    with suppress(AttributeError):  # Not every C library has this.
        set_option = ctypes.CDLL(None).mallopt
        set_option(_M_MMAP_THRESHOLD, _LARGEST_REUSED)
        set_option(_M_TRIM_THRESHOLD, most)
