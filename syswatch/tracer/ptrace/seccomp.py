"""
A seccomp filter that stops a process only at the traced calls, so that all others cost nothing.

The filter is a classic BPF program over struct seccomp_data.  It stays for the life of the
process and of everything it starts.  Without a tracer, the calls that it selects fail with ENOSYS.
So a filtered command cannot be detached: the tracer stays and only resumes it.  If the tracer is
killed, a successor takes its place.

Of several filters the strictest decides.  A call that another filter refuses never stops at this
one, so it is used only as long as it is the only one.

A filter may be installed by root, or by a process that cannot gain privileges by execve.  As root,
set-uid programs work as usual.  For other users NO_NEW_PRIVS is set; that changes little, because
the kernel ignores set-uid bits under an unprivileged tracer anyway.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Mapping, Sequence

from syswatch.base.classes import frozen

_PR_GET_SECCOMP = 21
PR_SET_SECCOMP = 22
SECCOMP_SET_MODE_FILTER = 1
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2

_RET_TRACE = 0x7FF0_0000
_RET_ALLOW = 0x7FFF_0000

# Opcodes of classic BPF: class, size or operation, source of the operand.
_LOAD_WORD = 0x20
_JUMP = 0x05
_JUMP_IF_EQUAL = 0x15
_JUMP_IF_AT_LEAST = 0x35
_RETURN = 0x06
_LONGEST_PROGRAM = 4096

# Offsets in struct seccomp_data.
_NUMBER = 0
_ARCHITECTURE = 4

_INSTRUCTION = struct.Struct("=HBBI")


@frozen
class Instruction:
    """One struct sock_filter: jumps count from the instruction that follows."""

    code: int
    operand: int
    if_true: int = 0
    if_false: int = 0

    def pack(self) -> bytes:
        """Return the instruction as the kernel reads it."""
        return _INSTRUCTION.pack(self.code, self.if_true, self.if_false, self.operand)


@frozen
class Filter:
    """A program, ready to be given to the kernel."""

    program: tuple[Instruction, ...]


def build(traced: Mapping[int, frozenset[int]]) -> Filter:
    """Return a filter for the traced numbers of each architecture; unknown ones are traced."""
    program = [Instruction(_LOAD_WORD, _ARCHITECTURE)]
    for architecture, numbers in traced.items():
        body = [Instruction(_LOAD_WORD, _NUMBER), *_search(_steps(numbers))]
        program += [
            Instruction(_JUMP_IF_EQUAL, architecture, 1, 0),
            Instruction(_JUMP, len(body)),
            *body,
        ]
    program.append(Instruction(_RETURN, _RET_TRACE))
    if len(program) > _LONGEST_PROGRAM:
        raise ValueError(f"a filter of {len(program)} instructions is too long for the kernel")
    return Filter(tuple(program))


def _steps(numbers: frozenset[int]) -> list[tuple[int, int]]:
    """Return the numbers at which the verdict changes, with the new verdict, from 0."""
    steps = [(0, _verdict(0, numbers))]
    edges = sorted({edge for number in numbers for edge in (number, number + 1)} - {0})
    for edge in edges:
        verdict = _verdict(edge, numbers)
        if verdict != steps[-1][1]:
            steps.append((edge, verdict))
    return steps


def _verdict(number: int, numbers: frozenset[int]) -> int:
    return _RET_TRACE if number in numbers else _RET_ALLOW


def _search(steps: Sequence[tuple[int, int]]) -> list[Instruction]:
    """Return a binary search: an untraced call takes a few steps, however many there are."""
    if len(steps) == 1:
        return [Instruction(_RETURN, steps[0][1])]
    middle = len(steps) // 2
    below, above = _search(steps[:middle]), _search(steps[middle:])
    return [
        # A conditional jump reaches 255 instructions, the other one any distance.
        Instruction(_JUMP_IF_AT_LEAST, steps[middle][0], 0, 1),
        Instruction(_JUMP, len(below)),
        *below,
        *above,
    ]


def is_behind_filter() -> bool:
    """Return whether this process has a filter, which its children inherit."""
    mode: int = ctypes.CDLL(None).prctl(_PR_GET_SECCOMP, 0, 0, 0, 0)
    return mode == _SECCOMP_MODE_FILTER


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install(seccomp: Filter) -> None:
    """Install a filter for the calling process and all that it will start."""
    code = b"".join(instruction.pack() for instruction in seccomp.program)
    program = _Program(len(seccomp.program), code)
    libc = ctypes.CDLL(None, use_errno=True)
    if _set_filter(libc, program):
        return
    if ctypes.get_errno() == errno.EACCES:
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if _set_filter(libc, program):
            return
    number = ctypes.get_errno()
    raise OSError(number, f"the kernel refuses the seccomp filter: {os.strerror(number)}")


def _set_filter(libc: ctypes.CDLL, program: _Program) -> bool:
    return bool(libc.prctl(PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)
