"""Signals that are ignored in this process and in those that it starts."""

import ctypes
import os
import platform
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from syswatch.model.call_numbers import number_of

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


@contextmanager
def reserved_signals_kept() -> Iterator[None]:
    """Ignore those of the two afterwards that were ignored: a first thread sets a handler."""
    ignored = [number for number in _OF_THE_LIBRARY if _handler(number) == _IGNORE]
    try:
        yield
    finally:
        for number in ignored:
            _set(number, _IGNORE)


def _set(number: int, handler: int) -> None:
    _act(number, ctypes.byref(_ACTION(handler)), None)


def _handler(number: int) -> int:
    action = _ACTION()
    _act(number, None, ctypes.byref(action))
    return action[0]


def _act(number: int, new: object, old: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    call = number_of("rt_sigaction", platform.machine())
    if libc.syscall(call, number, new, old, _MASK_BYTES) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
