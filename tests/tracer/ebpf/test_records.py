"""Tests of reading the records of processes."""

import ctypes
import os
import time

from syswatch.model.messages import TraceOptions
from syswatch.tracer.ebpf import layout
from syswatch.tracer.ebpf.following import Following
from syswatch.tracer.ebpf.loading import load
from syswatch.tracer.ebpf.program import Program
from syswatch.tracer.ebpf.reader import Reader
from syswatch.tracer.ebpf.records import Records

from .case import EbpfCase


class RecordTests(EbpfCase):
    """Releasing records."""

    def test_ended_processes(self) -> None:
        """Records of processes that have ended or left the group are released."""
        program = load(TraceOptions())
        self.addCleanup(program.close)
        records, following = Records(program, str), Following(program)
        first = following.add_record(11, 1, b"ended")
        second = following.add_record(12, 1, b"left")
        following.add_record(13, 1, b"alive")
        self.change(program, first, state=layout.ENDED)
        self.change(program, second, state=layout.LEFT)

        in_use = records.in_use()
        read = {pid: (tally.ending, ending) for pid, tally, ending in records.read()}
        records.free_ended()

        self.assertEqual((3, 1), (in_use, records.in_use()))
        self.assertEqual({11: ("exited with 0", 0), 12: ("", None), 13: ("", None)}, read)
        self.assertEqual([0, 0, 13], [records.pid_of(number) for number in (1, 2, 3)])

    def change(self, program: Program, number: int, **fields: int) -> None:
        """Write a record as the kernel does."""
        size = ctypes.sizeof(layout.Process)
        memory = program.mapped("processes", (number + 1) * size)
        record = layout.Process.from_buffer(memory, number * size)
        for name, value in fields.items():
            setattr(record, name, value)

    def test_reused_pid(self) -> None:
        """The ending of the main process is not replaced by that of one that reuses its PID."""
        trace = self.prepare()
        reader = trace.reader
        self.addCleanup(reader.close)
        trace.following.main_pid = pid = os.getpid()
        for status in (1 << 8, 2 << 8):
            number = trace.following.add_record(pid, 1, b"main")
            self.change(trace.program, number, state=layout.ENDED, ending=status)
            delta = reader.read(everything=True)
        self.assertEqual("exited with 2", delta.processes[pid].ending)
        self.assertEqual(1 << 8, reader.ending)

    def test_last_end(self) -> None:
        """When all have ended, the trace ends with them, however late that is read."""
        target, trace = self.prepare_script("true")
        trace.following.begin()
        running = trace.reader.read(everything=True).span
        before_ns = time.time_ns()
        target.end()
        after_ns = time.time_ns()
        ended = trace.reader.read(everything=True, is_last=True).span
        assert running is not None
        assert ended is not None
        self.assertLess(running.last_ns, before_ns)
        self.assertTrue(before_ns < ended.last_ns < after_ns, (before_ns, ended, after_ns))

    def test_without_pid(self) -> None:
        """Processes without a PID in this namespace are counted in the ledger."""
        following = Following(load(TraceOptions()))
        self.addCleanup(following.program.close)
        reader = Reader(following, TraceOptions())
        self.addCleanup(reader.close)
        for pid in (0, 11, 0):
            following.add_record(pid, 1, b"x")

        first, second = (reader.read(everything=True) for _ in range(2))

        self.assertEqual({11}, set(first.processes))
        self.assertEqual(2, first.ledger.untracked_processes)
        self.assertEqual(0, second.ledger.untracked_processes)
