"""Instructions of classic BPF, as far as seccomp filters have them."""

import struct
from collections.abc import Iterable, Sequence
from typing import Final

from syswatch.base.classes import frozen

# struct sock_filter of this machine, little-endian as all machines that can be traced.
_INSTRUCTION: Final = struct.Struct("<HBBI")
# BPF_MAXINSNS
MOST_INSTRUCTIONS: Final = 4096

LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
JUMP: Final = 0x05  # BPF_JMP | BPF_JA
JUMP_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_GREATER: Final = 0x25  # BPF_JMP | BPF_JGT | BPF_K
JUMP_GREATER_EQUAL: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
JUMP_BITS: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
AND: Final = 0x54  # BPF_ALU | BPF_AND | BPF_K
RETURN: Final = 0x06  # BPF_RET | BPF_K

# Offsets in struct seccomp_data.
NUMBER_OFFSET: Final = 0
ARCHITECTURE_OFFSET: Final = 4
ARGUMENTS_OFFSET: Final = 16


@frozen
class Instruction:
    """One instruction; the jumps skip so many of those that follow."""

    code: int
    operand: int = 0
    if_true: int = 0
    if_false: int = 0


class ProgramError(Exception):
    """A program that can't be used; the message is a sentence for the user."""


def encode(program: Iterable[Instruction]) -> bytes:
    """Return a program as the kernel and bubblewrap read it."""
    return b"".join(
        _INSTRUCTION.pack(each.code, each.if_true, each.if_false, each.operand) for each in program
    )


def decode(content: bytes) -> Sequence[Instruction]:
    """Return the instructions of a program; raise ProgramError."""
    if not content or len(content) % _INSTRUCTION.size:
        raise ProgramError(
            f"not a seccomp filter: its size is {len(content)} bytes (expected a multiple of"
            f" {_INSTRUCTION.size})"
        )
    program = [
        Instruction(code, operand, if_true, if_false)
        for code, if_true, if_false, operand in _INSTRUCTION.iter_unpack(content)
    ]
    if len(program) > MOST_INSTRUCTIONS:
        raise ProgramError(
            f"not a seccomp filter: it has {len(program)} instructions (at most"
            f" {MOST_INSTRUCTIONS})"
        )
    return program


def argument_offsets(index: int) -> tuple[int, int]:
    """Return where the lower and the upper half of an argument are."""
    low = ARGUMENTS_OFFSET + 8 * index
    return low, low + 4
