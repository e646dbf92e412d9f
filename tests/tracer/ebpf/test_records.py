"""The records of processes, as the reader finds them."""

import ctypes

from syswatch.model.messages import TraceOptions
from syswatch.tracer.ebpf import layout
from syswatch.tracer.ebpf.calls import settings_of
from syswatch.tracer.ebpf.program import Program
from syswatch.tracer.ebpf.reader import Reader
from syswatch.tracer.ebpf.records import Records

from .case import EbpfCase


class RecordTests(EbpfCase):
    """Records are given back when nobody needs them any more."""

    def test_over(self) -> None:
        """Who has ended makes room, and who has left what is watched, of whom no end is told."""
        program = Program.load(settings_of(TraceOptions(), None))
        self.addCleanup(program.close)
        records = Records(program, str)
        first = records.new(11, 1, "ended")
        second = records.new(12, 1, "left")
        records.new(13, 1, "alive")
        memory = program.mapped("processes", 4 * ctypes.sizeof(layout.Process))
        for number, state in ((first, layout.ENDED), (second, layout.LEFT)):
            at = number * ctypes.sizeof(layout.Process)
            layout.Process.from_buffer(memory, at).state = state

        read = {pid: (tally.ending, ending) for pid, tally, ending in records.read()}
        records.reuse()

        self.assertEqual({11: ("exited with 0", 0), 12: ("", None), 13: ("", None)}, read)
        self.assertEqual([0, 0, 13], [records.pid_of(number) for number in (1, 2, 3)])

    def test_nameless(self) -> None:
        """Who has no number where we live is in the ledger, and not one process with the others."""
        program = Program.load(settings_of(TraceOptions(), None))
        self.addCleanup(program.close)
        reader = Reader(program, TraceOptions())
        self.addCleanup(reader.close)
        for pid in (0, 11, 0):
            reader.records.new(pid, 1, "x")

        first, second = (reader.read(everything=True) for _ in range(2))

        self.assertEqual({11}, set(first.processes))
        self.assertEqual(2, first.ledger.untracked_processes)
        self.assertEqual(0, second.ledger.untracked_processes)
