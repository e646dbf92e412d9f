"""
The call that a thread was in when it stopped, as its registers show it.

On the way out of a call the kernel stops a thread that was interrupted, whether the call has
returned or will be restarted; neither is reported as the exit of a call.
"""

import ctypes
import struct
from typing import NamedTuple

from .abi import AUDIT_ARCH_I386, AUDIT_ARCH_X86_64, ptrace

_PTRACE_GETREGSET = 0x4204
_NT_PRSTATUS = 1
# ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND and ERESTART_RESTARTBLOCK.
_RESTARTS = frozenset({-512, -513, -514, -516})


class CallEnd(NamedTuple):
    """A call that has returned: its architecture and number, and its result."""

    architecture: int
    number: int
    result: int


class _Layout(NamedTuple):
    """Where the registers are that hold the result of a call and its number."""

    architecture: int
    registers: struct.Struct
    result_at: int
    number_at: int


# By the size of the registers.  On arm64, the kernel has prepared the restart of a call when it
# stops the thread, so that it looks like one that has returned.
_LAYOUTS = {
    27 * 8: _Layout(AUDIT_ARCH_X86_64, struct.Struct("<27q"), result_at=10, number_at=15),
    17 * 4: _Layout(AUDIT_ARCH_I386, struct.Struct("<17i"), result_at=6, number_at=11),
}


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def call_that_returned(tid: int) -> CallEnd | None:
    """
    Return the call that has returned when a thread was interrupted.

    None if it runs its own code, if the call will be restarted, or if that is not known.
    """
    buffer = ctypes.create_string_buffer(512)
    vector = _Vector(ctypes.addressof(buffer), len(buffer))
    if ptrace(_PTRACE_GETREGSET, tid, _NT_PRSTATUS, ctypes.byref(vector)):
        return None
    layout = _LAYOUTS.get(vector.length)
    if layout is None:
        return None
    registers = layout.registers.unpack_from(buffer)
    result, number = registers[layout.result_at], registers[layout.number_at]
    if number < 0 or result in _RESTARTS:
        return None
    return CallEnd(layout.architecture, number, result)
