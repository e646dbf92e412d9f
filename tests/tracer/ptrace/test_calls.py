"""Tests of the kinds of system calls."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.ptrace.abi import AUDIT_ARCH_I386, AUDIT_ARCH_X86_64
from syswatch.tracer.ptrace.calls import CallTable, Effect
from syswatch.tracer.ptrace.following import add_object


def table(traced: frozenset[str] | None = None) -> CallTable:
    """Return a table in which no arguments are read at the entry."""
    return CallTable(traced, lambda _architecture, _name: False)


class TableTests(SynchronousTestCase):
    """Looking up numbers."""

    def test_kinds(self) -> None:
        """A number is another call on another architecture, with another effect."""
        calls = table(frozenset({"write"}))
        found = [calls.describe(arch, 1) for arch in (AUDIT_ARCH_X86_64, AUDIT_ARCH_I386)]
        self.assertEqual(["write", "exit"], [call.plain_name for call in found])
        self.assertEqual([True, False], [call.traced for call in found])
        self.assertEqual([Effect.NONE, Effect.EXIT], [call.effect for call in found])

    def test_paths(self) -> None:
        """The path that a call opens is read if it is traced, but not with --no-args."""
        for calls, places in (
            (table(), [1, 0, -1]),
            (table(frozenset({"openat"})), [1, -1, -1]),
            (CallTable(None, lambda _architecture, _name: False, reads=False), [-1, -1, -1]),
        ):
            kinds = [calls.describe(AUDIT_ARCH_X86_64, number) for number in (257, 2, 0)]
            self.assertEqual(places, [kind.path_at for kind in kinds])

    def test_random_numbers(self) -> None:
        """A program that tries random numbers does not fill the memory."""
        calls = CallTable(None, lambda *_: False, add_object=add_object)
        for number in range(10_000):
            calls.describe(AUDIT_ARCH_X86_64, number)
        self.assertLess(target_of.cache_info().currsize, 5000)
        self.assertLess(len(calls.known[AUDIT_ARCH_X86_64]), 3000)
        self.assertEqual("syscall_0x270f", calls.describe(AUDIT_ARCH_X86_64, 9999).name)
