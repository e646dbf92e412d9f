"""Tests of the seccomp filter's program, run by a small interpreter."""

from hypothesis import given
from hypothesis.strategies import frozensets, integers
from twisted.trial.unittest import TestCase

from syswatch.tracer.ptrace.abi import AUDIT_ARCH_AARCH64, AUDIT_ARCH_I386, AUDIT_ARCH_X86_64
from syswatch.tracer.ptrace.seccomp import Filter, build

TRACE = 0x7FF00000
ALLOW = 0x7FFF0000
numbers = integers(0, 600)


def verdict(seccomp: Filter, architecture: int, number: int) -> tuple[int, int]:
    """Run a program; return its verdict and the number of steps."""
    data = {0: number, 4: architecture}
    at = accumulator = steps = 0
    while True:
        instruction = seccomp.program[at]
        at += 1
        steps += 1
        match instruction.code:
            case 0x20:
                accumulator = data[instruction.operand]
            case 0x05:
                at += instruction.operand
            case 0x15:
                taken = accumulator == instruction.operand
                at += instruction.if_true if taken else instruction.if_false
            case 0x35:
                taken = accumulator >= instruction.operand
                at += instruction.if_true if taken else instruction.if_false
            case 0x06:
                return instruction.operand, steps


class FilterTests(TestCase):
    """A call is stopped exactly if it is traced."""

    @given(frozensets(numbers), frozensets(numbers), numbers)
    def test_verdicts(self, wide: frozenset[int], narrow: frozenset[int], number: int) -> None:
        """Each architecture has its own numbers, and all jumps are within the program."""
        seccomp = build({AUDIT_ARCH_X86_64: wide, AUDIT_ARCH_I386: narrow})
        for architecture, traced in ((AUDIT_ARCH_X86_64, wide), (AUDIT_ARCH_I386, narrow)):
            expected = TRACE if number in traced else ALLOW
            self.assertEqual(expected, verdict(seccomp, architecture, number)[0])

    def test_unknown_architecture(self) -> None:
        """Numbers of an unknown architecture stop the thread."""
        seccomp = build({AUDIT_ARCH_X86_64: frozenset({1})})
        self.assertEqual(TRACE, verdict(seccomp, AUDIT_ARCH_AARCH64, 7)[0])

    def test_cheap(self) -> None:
        """A verdict takes a few steps, however many numbers there are."""
        every_other = frozenset(range(0, 600, 2))
        seccomp = build({AUDIT_ARCH_X86_64: every_other})
        self.assertLess(max(verdict(seccomp, AUDIT_ARCH_X86_64, n)[1] for n in range(700)), 28)

    def test_layout(self) -> None:
        """An instruction has the eight bytes of struct sock_filter."""
        first = build({}).program[0]
        self.assertEqual(b"\x20\x00\x00\x00\x04\x00\x00\x00", first.pack())
