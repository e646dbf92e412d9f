"""Conditions on the arguments of a call, as far as a seccomp filter can see them."""

import enum
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

import attrs

from syswatch.base.classes import frozen

ARGUMENTS: Final = 6
ALL_BITS: Final = (1 << 64) - 1
# What the kernel uses of an argument whose type is `int`: the rest may be anything.
INT_BITS: Final = (1 << 32) - 1


class Operator(enum.StrEnum):
    """A comparison of an argument with a value, by the names of libseccomp."""

    NE = "NE"
    LT = "LT"
    LE = "LE"
    EQ = "EQ"
    GE = "GE"
    GT = "GT"
    MASKED_EQ = "MASKED_EQ"


_COMPARE: Final[Mapping[Operator, Callable[[int, int], bool]]] = {
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.EQ: operator.eq,
    Operator.GE: operator.ge,
    Operator.GT: operator.gt,
    Operator.MASKED_EQ: operator.eq,
}
_EQUALITIES: Final = frozenset({Operator.EQ, Operator.NE, Operator.MASKED_EQ})


def _is_word(_: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if not 0 <= value <= ALL_BITS:
        raise ValueError(f"{attribute.name} {value} does not fit into 64 bits")


def _is_index(_: object, __: "attrs.Attribute[int]", index: int) -> None:
    if not 0 <= index < ARGUMENTS:
        raise ValueError(f"a system call has no argument {index} (choose from 0 to 5)")


@frozen(order=True)
class Condition:
    """
    One comparison: of the argument's bits in the mask, with a value, unsigned.

    Only a masked comparison has a mask that is not all bits.
    """

    index: int = attrs.field(validator=_is_index)
    operator: Operator
    value: int = attrs.field(validator=_is_word)
    mask: int = attrs.field(default=ALL_BITS, validator=_is_word)

    def __attrs_post_init__(self) -> None:
        """Refuse a mask that would be ignored."""
        if self.operator is not Operator.MASKED_EQ and self.mask != ALL_BITS:
            raise ValueError(f"{self.operator} does not take a mask")

    def holds(self, argument: int) -> bool:
        """Return whether the argument meets the condition."""
        return _COMPARE[self.operator](argument & self.mask, self.value)

    def decide(self, known: "Known") -> bool | None:
        """Return whether an argument meets the condition; None if that depends on unknown bits."""
        if not self.mask & ~known.mask:
            return self.holds(known.value)
        common = self.mask & known.mask
        if self.operator in _EQUALITIES and (known.value ^ self.value) & common:
            return self.operator is Operator.NE
        return None


class Known(NamedTuple):
    """The bits of an argument that are known."""

    value: int
    mask: int = ALL_BITS


_UNKNOWN: Final = Known(0, 0)


def without_bits(index: int, bits: int) -> Condition:
    """Return the condition that an argument has none of these bits."""
    return Condition(index, Operator.MASKED_EQ, 0, bits)


def all_hold(conditions: Iterable[Condition], arguments: Mapping[int, Known]) -> bool | None:
    """Return whether all conditions hold; None if that depends on what is not known."""
    found = {condition.decide(arguments.get(condition.index, _UNKNOWN)) for condition in conditions}
    if False in found:
        return False
    return None if None in found else True
