"""Tests of the arguments that rules depend on."""

import socket

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.events import ARCHITECTURES
from syswatch.model.call_numbers import table_names
from syswatch.model.ruled_arguments import ruled_arguments, ruled_calls, ruled_values

_REGISTERS = 6


class RuledArgumentsTests(SynchronousTestCase):
    """Positions and masks."""

    def test_calls_exist(self) -> None:
        """Every listed call is one that the kernel has."""
        self.assertEqual(frozenset(), ruled_calls() - table_names())

    def test_positions(self) -> None:
        """Every position is that of a register, and listed once."""
        for call in ruled_calls():
            for architecture in ARCHITECTURES:
                positions = [each.position for each in ruled_arguments(call, architecture)]
                self.assertEqual(sorted(set(positions)), positions)
                self.assertLess(max(positions, default=0), _REGISTERS)

    def test_flags_of_sockets(self) -> None:
        """The flags in the type of a socket do not matter, nor the upper half of a register."""
        kind = socket.SOCK_STREAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK

        values = ruled_values("socket", "x86_64", [1 << 40 | socket.AF_INET, kind, 6, 7, 8, 9])

        self.assertEqual((socket.AF_INET, socket.SOCK_STREAM, 6), values)

    def test_namespaces(self) -> None:
        """Of the flags of `clone`, those for namespaces matter; its signal is not a namespace."""
        new_user, new_time, vm = 0x1000_0000, 0x80, 0x100

        self.assertEqual((new_user,), ruled_values("clone", "x86_64", [new_user | vm | 0x91]))
        self.assertEqual((new_time,), ruled_values("unshare", "x86_64", [new_time | vm]))

    def test_arguments_in_memory(self) -> None:
        """The old `mmap` of i386 has its arguments in memory, where no filter can read them."""
        self.assertEqual((), ruled_arguments("mmap", "i386"))
        self.assertEqual((4,), ruled_values("mmap2", "i386", [0, 0, 5, 0, 0, 0]))
        self.assertEqual((4,), ruled_values("mmap", "x86_64", [0, 0, 5, 0, 0, 0]))

    def test_without_rules(self) -> None:
        """A call whose arguments do not matter has no values."""
        self.assertEqual((), ruled_values("read", "x86_64", [0] * 6))
