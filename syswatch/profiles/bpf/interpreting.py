"""Executing a seccomp filter without the kernel, even if not all arguments are known."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from syswatch.profiles.actions import Action
from syswatch.profiles.bpf import instructions as bpf
from syswatch.profiles.conditions import INT_BITS, Condition, Known, Operator

from .instructions import Instruction, ProgramError
from .returns import action_of

_HALF: Final = 32
_BYTES: Final = 4
_ARGUMENTS: Final = 6
_NOTHING: Final = Known(0, 0)
_COMPARISONS: Final = {
    bpf.JUMP_EQUAL: Operator.EQ,
    bpf.JUMP_GREATER: Operator.GT,
    bpf.JUMP_GREATER_EQUAL: Operator.GE,
}
_KNOWN: Final = {bpf.LOAD, bpf.AND, bpf.RETURN, bpf.JUMP, bpf.JUMP_BITS, *_COMPARISONS}
# struct seccomp_data
_SIZE: Final = bpf.ARGUMENTS_OFFSET + 2 * _BYTES * _ARGUMENTS


class Call(NamedTuple):
    """What a filter sees of a call, as far as it is known."""

    number: int
    audit: int
    arguments: Mapping[int, Known]


def interpret(program: Sequence[Instruction], call: Call) -> Action | None:
    """
    Return what a filter does with a call, None if that depends on what is not known.

    The filter must have been verified, or have been compiled here.
    """
    words = _words(call)
    accumulator = Known(0)
    position = 0
    # Jumps lead forwards only, so this ends.
    while True:
        each = program[position]
        position += 1
        if each.code == bpf.LOAD:
            accumulator = words[each.operand // _BYTES]
        elif each.code == bpf.AND:
            accumulator = Known(
                accumulator.value & each.operand, accumulator.mask | ~each.operand & INT_BITS
            )
        elif each.code == bpf.RETURN:
            return action_of(each.operand)
        elif each.code == bpf.JUMP:
            position += each.operand
        else:
            holds = _compare(each, accumulator)
            if holds is None:
                return None
            position += each.if_true if holds else each.if_false


def verify(program: Sequence[Instruction]) -> None:
    """Raise ProgramError unless a filter can be executed, whatever the call is."""
    for following, each in enumerate(program, start=1):
        if each.code == bpf.LOAD and (each.operand % _BYTES or each.operand >= _SIZE):
            raise ProgramError(f"not a seccomp filter: it reads at {each.operand}")
        if each.code not in _KNOWN:
            raise ProgramError(f"not a seccomp filter: unknown instruction {each.code:#04x}")
        if each.code != bpf.RETURN and following + _longest_jump(each) >= len(program):
            raise ProgramError("not a seccomp filter: it can end without an answer")


def _longest_jump(each: Instruction) -> int:
    return each.operand if each.code == bpf.JUMP else max(each.if_true, each.if_false)


def _compare(each: Instruction, accumulator: Known) -> bool | None:
    # The upper half of the accumulator does not exist, and is known to be 0.
    wide = Known(accumulator.value, accumulator.mask | ~INT_BITS & ((1 << 64) - 1))
    if each.code == bpf.JUMP_BITS:
        none = Condition(0, Operator.MASKED_EQ, 0, each.operand).decide(wide)
        return None if none is None else not none
    return Condition(0, _COMPARISONS[each.code], each.operand).decide(wide)


def _words(call: Call) -> list[Known]:
    """Return struct seccomp_data as 32-bit words."""
    wide = [call.arguments.get(index, _NOTHING) for index in range(_ARGUMENTS)]
    return [
        Known(call.number & INT_BITS),
        Known(call.audit),
        _NOTHING,  # the instruction pointer
        _NOTHING,
        *(half for known in wide for half in _halves(known)),
    ]


def _halves(known: Known) -> tuple[Known, Known]:
    return (
        Known(known.value & INT_BITS, known.mask & INT_BITS),
        Known(known.value >> _HALF, known.mask >> _HALF),
    )
