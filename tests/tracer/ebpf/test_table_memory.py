"""Tests of tables that are mapped as far as they are used."""

import ctypes

from syswatch.model.messages import TraceOptions
from syswatch.tracer.ebpf import layout
from syswatch.tracer.ebpf.array_entries import ArrayEntries
from syswatch.tracer.ebpf.loading import load
from syswatch.tracer.ebpf.maps import RECORDS
from syswatch.tracer.ebpf.table_memory import TableMemory

from .case import EbpfCase

_SIZE = RECORDS * ctypes.sizeof(layout.Process)
_FIRST = 1 << 16


class TableMemoryTests(EbpfCase):
    """More is mapped when it is asked for."""

    def setUp(self) -> None:
        """Map the beginning of a table."""
        super().setUp()
        self.program = load(TraceOptions())
        self.addCleanup(self.program.close)
        self.memory = TableMemory(self.program, "processes", _SIZE)

    def mapped(self, end: int) -> int:
        """Return how much is mapped when it is used up to a place."""
        return len(self.memory.upto(end))

    def test_growth(self) -> None:
        """It at least doubles, but never exceeds the table."""
        steps = (0, _FIRST, _FIRST + 1, 10 * _FIRST, _SIZE, _SIZE + 1)
        expected = [_FIRST, _FIRST, 2 * _FIRST, 10 * _FIRST, _SIZE, _SIZE]
        self.assertEqual(expected, [self.mapped(end) for end in steps])

    def test_same_memory(self) -> None:
        """What was mapped before and what is mapped later are the same memory."""
        before = self.memory.upto(8)
        self.memory.write(_SIZE - 4, b"last")
        self.memory.write(0, b"new")
        before[3:4] = b"!"
        self.assertEqual((b"new!", b"last"), (before[:4], self.memory.part(_SIZE - 4, _SIZE)))
        self.assertEqual(b"new!", self.memory.part(0, 4))

    def test_values(self) -> None:
        """An entry that is read on its own is what the program has in memory."""
        size = ctypes.sizeof(layout.Process)
        self.memory.write(3 * size, b"\1" * size)
        entries = ArrayEntries(self.program, "processes", size)
        values = [entries.read(place) for place in (2, 3, 4)]
        self.assertEqual([bytes(size), b"\1" * size, bytes(size)], values)
