"""Instructions with labels, and long jumps where a short one does not reach."""

from collections.abc import Sequence
from typing import Final

from syswatch.base.classes import define, frozen
from syswatch.profiles.bpf import instructions as bpf

from .instructions import Instruction

_LONGEST_JUMP: Final = 255


@define(eq=False)
class Label:
    """A place in a program; its position is known when it was placed."""

    position: int = -1


@frozen
class _Branch:
    code: int
    operand: int
    if_true: Label
    if_false: Label


@frozen(eq=False)
class _Answer:
    value: int


_Part = Instruction | _Branch | _Answer | Label


class Assembly:
    """A program that is being written."""

    def __init__(self) -> None:
        """Begin an empty program."""
        self._parts: list[_Part] = []

    def label(self) -> Label:
        """Return a label for a place that follows."""
        return Label()

    def place(self, label: Label) -> None:
        """Put a label here."""
        self._parts.append(label)

    def load(self, offset: int) -> None:
        """Load a word of struct seccomp_data."""
        self._parts.append(Instruction(bpf.LOAD, offset))

    def mask(self, bits: int) -> None:
        """Keep some bits of the loaded word."""
        self._parts.append(Instruction(bpf.AND, bits))

    def answer(self, value: int) -> None:
        """Return from the filter."""
        self._parts.append(_Answer(value))

    def branch(self, code: int, operand: int, if_true: Label, if_false: Label) -> None:
        """Compare the loaded word, and jump to one of two labels."""
        self._parts.append(_Branch(code, operand, if_true, if_false))

    def program(self) -> Sequence[Instruction]:
        """
        Return the instructions.

        They are placed from the end, so the position of every jump target is known.
        """
        reversed_: list[Instruction] = []
        for part in reversed(self._parts):
            end = len(reversed_)
            match part:
                case Label():
                    part.position = end
                case _Answer():
                    reversed_.append(Instruction(bpf.RETURN, part.value))
                case _Branch():
                    reversed_.extend(_placed(part, end))
                case _:
                    reversed_.append(part)
        return reversed_[::-1]


def _placed(branch: _Branch, end: int) -> list[Instruction]:
    """Return a branch, in reverse: with jumps behind it if a label is too far away."""
    true, false = (end - label.position for label in (branch.if_true, branch.if_false))
    jumps: list[Instruction] = []
    if true > _LONGEST_JUMP - 1:
        jumps.append(Instruction(bpf.JUMP, true))
        true = 0
    # One more instruction is between the branch and its other label.
    false += len(jumps)
    if false > _LONGEST_JUMP:
        jumps.append(Instruction(bpf.JUMP, false))
        true, false = true + 1, 0
    return [*jumps, Instruction(branch.code, branch.operand, true, false)]
