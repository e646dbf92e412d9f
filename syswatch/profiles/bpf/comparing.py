"""Conditions on 64-bit arguments as comparisons of their halves."""

from typing import Final

from syswatch.profiles.bpf import instructions as bpf
from syswatch.profiles.conditions import INT_BITS, Condition, Operator

from .assembly import Assembly, Label

_HALF: Final = 32
_LESS: Final = frozenset({Operator.LT, Operator.LE})
_STRICT: Final = {
    Operator.GT: bpf.JUMP_GREATER,
    Operator.GE: bpf.JUMP_GREATER_EQUAL,
    # The opposites, of which the labels are exchanged.
    Operator.LE: bpf.JUMP_GREATER,
    Operator.LT: bpf.JUMP_GREATER_EQUAL,
}


def compare(add: Assembly, condition: Condition, otherwise: Label) -> None:
    """Add a comparison that falls through to the next instruction if the condition holds."""
    holds = add.label()
    match condition.operator:
        case Operator.EQ | Operator.MASKED_EQ:
            _equal(add, condition, holds, otherwise)
        case Operator.NE:
            _equal(add, condition, otherwise, holds)
        case less if less in _LESS:
            _greater(add, condition, otherwise, holds)
        case _:
            _greater(add, condition, holds, otherwise)
    add.place(holds)


def _equal(add: Assembly, condition: Condition, if_true: Label, if_false: Label) -> None:
    """Compare the halves that the mask does not hide; the upper one first."""
    low, high = bpf.argument_offsets(condition.index)
    halves = (
        (high, condition.mask >> _HALF, condition.value >> _HALF),
        (low, condition.mask & INT_BITS, condition.value & INT_BITS),
    )
    visible = [(offset, mask, value) for offset, mask, value in halves if mask or value]
    for number, (offset, mask, value) in enumerate(visible, 1):
        add.load(offset)
        if mask != INT_BITS:
            add.mask(mask)
        following = add.label()
        last = number == len(visible)
        add.branch(bpf.JUMP_EQUAL, value, if_true if last else following, if_false)
        add.place(following)


def _greater(add: Assembly, condition: Condition, if_true: Label, if_false: Label) -> None:
    """Compare the upper halves; if they are equal, the lower ones decide."""
    low, high = bpf.argument_offsets(condition.index)
    upper, lower = condition.value >> _HALF, condition.value & INT_BITS
    unequal, equal = add.label(), add.label()
    add.load(high)
    add.branch(bpf.JUMP_GREATER, upper, if_true, unequal)
    add.place(unequal)
    add.branch(bpf.JUMP_EQUAL, upper, equal, if_false)
    add.place(equal)
    add.load(low)
    add.branch(_STRICT[condition.operator], lower, if_true, if_false)
