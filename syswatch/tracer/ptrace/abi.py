"""
The interface of the kernel: numbers, calls and one structure, without any decisions.

The C library is called through `PyDLL`, which keeps the interpreter lock: this process has one
thread, so releasing and acquiring the lock at every stop would only cost time.  The functions of
the hot path declare no argument types, because converting arguments costs as much as the call.
"""

import ctypes
import os
import signal
import struct
from collections.abc import Callable

# What waitpid waits for: all children, whatever signal they send at their end.
WALL = 1 << 30
# What waitid looks for, without waiting and without taking it.
_ANY_STOP = os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT | WALL

O_TRACESYSGOOD = 1 << 0
O_TRACEFORK = 1 << 1
O_TRACEVFORK = 1 << 2
O_TRACECLONE = 1 << 3
O_TRACEEXEC = 1 << 4
O_TRACEEXIT = 1 << 6
O_TRACESECCOMP = 1 << 7
O_EXITKILL = 1 << 20

PTRACE_CONT = 7
PTRACE_DETACH = 17
PTRACE_SYSCALL = 24
PTRACE_GETEVENTMSG = 0x4201
PTRACE_SEIZE = 0x4206
PTRACE_INTERRUPT = 0x4207
PTRACE_LISTEN = 0x4208
_PTRACE_PEEKSIGINFO = 0x4209
PTRACE_GET_SYSCALL_INFO = 0x420E

# The first byte of struct ptrace_syscall_info: what its union holds.
OP_ENTRY = 1
OP_EXIT = 2
OP_SECCOMP = 3

# struct ptrace_syscall_info: op, arch, instruction and stack pointer, then a union that begins
# at byte 24: number and arguments at the entry, value and "is an error" at the exit.
INFO_SIZE = 88
ARGUMENTS_AT = 32
read_entry: Callable[[ctypes.Array[ctypes.c_char]], tuple[int, int, int]] = struct.Struct(
    "<B3xI16xQ"
).unpack_from
write_entry = struct.Struct("<B3xI16x7Q").pack_into
read_arguments: Callable[[ctypes.Array[ctypes.c_char]], tuple[int, ...]] = struct.Struct(
    "<32x6Q"
).unpack_from
read_stack_pointer: Callable[[ctypes.Array[ctypes.c_char]], tuple[int]] = struct.Struct(
    "<16xQ"
).unpack_from
read_exit: Callable[[ctypes.Array[ctypes.c_char]], tuple[int, int, bool]] = struct.Struct(
    "<B23xq?"
).unpack_from

# linux/audit.h: the machine's ELF number, with bits for 64 bits wide and little-endian.
AUDIT_ARCH_X86_64 = 0xC000003E
AUDIT_ARCH_I386 = 0x40000003
AUDIT_ARCH_AARCH64 = 0xC00000B7
AUDIT_ARCH_ARM = 0x40000028

_SA_NOCLDSTOP = 1
# The number and the code in siginfo_t.
_SIGINFO = struct.Struct("<i4xi")
_SIGINFO_SIZE = 128
_MOST_SIGNALS = 64

_libc = ctypes.PyDLL(None)
_libc_errno = ctypes.PyDLL(None, use_errno=True)

# waitpid(pid, &status, options) returns when a signal arrives, where os.waitpid would continue to
# wait: so deltas are flushed even while the target makes no calls.
waitpid = _libc.waitpid
ptrace = _libc.ptrace
# The same for requests whose result is not used: converting it is not free.
request = _libc["ptrace"]
request.restype = None

_checked_ptrace = _libc_errno.ptrace
_checked_ptrace.restype = ctypes.c_long
_checked_ptrace.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_message = ctypes.c_ulong()


class _Peek(ctypes.Structure):
    _fields_ = (("offset", ctypes.c_ulonglong), ("flags", ctypes.c_uint), ("count", ctypes.c_int))


class _Action(ctypes.Structure):
    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


def ignore_stops() -> None:
    """Ask the kernel not to send SIGCHLD at each stop."""
    action = _Action(flags=_SA_NOCLDSTOP)
    _libc_errno.sigaction(signal.SIGCHLD, ctypes.byref(action), None)


def seize(tid: int, options: int) -> None:
    """Begin to trace a thread without stopping it; an OSError if that is refused."""
    if _checked_ptrace(PTRACE_SEIZE, tid, None, options) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def interrupt(tid: int) -> bool:
    """Stop a seized thread; return False if it has ended."""
    return bool(ptrace(PTRACE_INTERRUPT, tid, 0, 0) == 0)


def listen(tid: int) -> None:
    """Leave a thread in its group stop, and wait for what ends it."""
    request(PTRACE_LISTEN, tid, 0, 0)


def detach(tid: int, number: int) -> None:
    """Stop tracing a stopped thread, and deliver a signal to it if `number` is not 0."""
    request(PTRACE_DETACH, tid, 0, number)


def stop_thread(pid: int, tid: int) -> None:
    """Send SIGSTOP to one thread of a process."""
    _libc.tgkill(pid, tid, signal.SIGSTOP)


def event_message(tid: int) -> int:
    """Return the message of the last event of a stopped thread; 0 if the thread has ended."""
    failed = ptrace(PTRACE_GETEVENTMSG, tid, 0, ctypes.byref(_message))
    return 0 if failed else _message.value


def pending_signals(tid: int) -> list[tuple[int, int]]:
    """Return the number and the code of each signal that is pending for a stopped thread."""
    buffer = ctypes.create_string_buffer(_MOST_SIGNALS * _SIGINFO_SIZE)
    which = _Peek(0, 0, _MOST_SIGNALS)
    found = ptrace(_PTRACE_PEEKSIGINFO, tid, ctypes.byref(which), buffer)
    return [_SIGINFO.unpack_from(buffer, number * _SIGINFO_SIZE) for number in range(max(found, 0))]


def has_children() -> bool:
    """Return whether there is a child or a traced thread to wait for."""
    try:
        os.waitid(os.P_ALL, 0, _ANY_STOP)
    except ChildProcessError:
        return False
    return True


def has_pending_stop(tid: int) -> bool:
    """Return whether a traced thread has stopped or ended, and was not waited for yet."""
    try:
        return os.waitid(os.P_PID, tid, _ANY_STOP) is not None
    except ChildProcessError:
        return False


def signed(register: int) -> int:
    """Return the C `int` in a register."""
    value = register & 0xFFFF_FFFF
    return value - (value >> 31 << 32)
