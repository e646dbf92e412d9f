"""Signals that are ignored in this process and in those that it starts."""

import ctypes
import os
import platform
import signal
from collections.abc import Iterable

from syswatch.model.catalog import number_of

# The C library reserves these two and does not let programs set them.  Its posix_spawn() leaves
# them ignored, which is inherited across execve.
_OF_THE_LIBRARY = (32, 33)
_DEFAULT, _IGNORE = 0, 1
# struct sigaction of the kernel: handler, flags, restorer, mask of 64 bits.
_ACTION = ctypes.c_ulong * 4
_MASK_BYTES = 8


def ignore_only(numbers: Iterable[int]) -> None:
    """Ignore these signals; reset the two reserved ones if they are not among them."""
    ignored = frozenset(numbers)
    for number in ignored.difference(_OF_THE_LIBRARY):
        signal.signal(number, signal.SIG_IGN)
    for number in _OF_THE_LIBRARY:
        _set(number, _IGNORE if number in ignored else _DEFAULT)


def _set(number: int, handler: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    call = number_of("rt_sigaction", platform.machine())
    action = _ACTION(handler)
    if libc.syscall(call, number, ctypes.byref(action), None, _MASK_BYTES) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
