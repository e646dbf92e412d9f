"""Tests of the program in the kernel: its build, its layout and its counts."""

import ctypes
import re
import subprocess
from pathlib import Path

from twisted.trial.unittest import SkipTest, TestCase

from syswatch.model.histogram import BUCKET_COUNT, SUB_BITS, bucket_of
from syswatch.tracer.ebpf import (
    activity_layout,
    evidence_layout,
    layout,
    object_layout,
    whole_layout,
)
from syswatch.tracer.ebpf.build import build, missing
from syswatch.tracer.ebpf.libbpf import EbpfError
from syswatch.tracer.ebpf.maps import RECORDS
from syswatch.tracer.ebpf.relocated import OBJECT
from syswatch.tracer.ebpf.relocation import relocate
from tests.tracer.programs import program
from tests.unmeasured import unmeasured

from .case import EbpfCase, require_ebpf


class ObjectTests(TestCase):
    """The object that is shipped."""

    def test_build_reproducible(self) -> None:
        """Building the source with the pinned compiler gives the shipped object, byte for byte."""
        tool = missing()
        if tool:
            raise SkipTest(f"{tool} is not installed, so the program cannot be rebuilt")
        made = Path(self.mktemp())
        build(made)
        self.assertTrue(OBJECT.read_bytes() == made.read_bytes(), "run syswatch.tracer.ebpf.build")

    def test_constants(self) -> None:
        """The headers and the modules for them have the same numbers."""
        headers = OBJECT.parent.glob("*layout.h")
        text = "".join(header.read_text() for header in headers)
        numbers = dict(re.findall(r"#define (\w+) (0x\w+|\d+)", text))
        for module in (activity_layout, evidence_layout, object_layout, layout):
            shared = [name for name in numbers if hasattr(module, name)]
            self.assertGreater(len(shared), 2)
            for name in shared:
                self.assertEqual(int(numbers[name], 0), getattr(module, name), name)
        self.assertEqual(SUB_BITS, int(numbers["SUB_BITS"]))
        self.assertLess(layout.BUCKETS, BUCKET_COUNT)
        self.assertLess(bucket_of(5 * 3600 * 10**9), layout.BUCKETS)

    def test_layout(self) -> None:
        """A program with another layout is refused."""
        require_ebpf()
        self.patch(whole_layout, "VALUES", {**whole_layout.VALUES, "sums": 8})
        error = self.assertRaises(EbpfError, relocate)
        self.assertIn("does not fit this version of syswatch: sums", str(error))
        self.patch(whole_layout, "VALUES", {})

        class Sums(ctypes.Structure):
            _fields_ = layout.Sums._fields_[::-1]

        self.patch(whole_layout, "STRUCTURES", {"sums": Sums})
        error = self.assertRaises(EbpfError, relocate)
        self.assertIn("does not fit this version of syswatch: sums", str(error))


class TotalTests(EbpfCase):
    """Known totals."""

    def test_eight_threads(self) -> None:
        """Every call of eight threads is counted."""
        outcome = self.trace(program("total"), "1000000")
        tally = outcome.delta.calls["getppid"]
        self.assertEqual((8_000_000, 0), outcome.counts["getppid"])
        self.assertEqual(8_000_000, tally.timed)
        self.assertLessEqual(tally.min_ns, tally.max_ns)
        (total,) = (t.count for t in outcome.delta.processes.values())
        self.assertEqual(sum(t.count for t in outcome.delta.calls.values()), total)

    @unmeasured()
    def test_many_processes(self) -> None:
        """More than twenty thousand forks, one after the other, are all followed."""
        outcome = self.trace(program("storm"), "17000")
        # The C library calls it once in each.  Numbers of processes would be too few: on a busy
        # machine, some get the number of one that has ended.
        self.assertEqual(20_401, outcome.delta.calls["set_robust_list"].count)
        self.assertEqual(17_000, outcome.delta.calls["getppid"].count)
        self.assertEqual(0, outcome.delta.ledger.unfollowed_processes)

    @unmeasured()
    def test_more_processes_than_records(self) -> None:
        """Processes that have ended make room for others, once they have been read."""
        storms = f"while read line; do {program('storm')} 8000; echo done; done"
        pipe = subprocess.PIPE
        shell = subprocess.Popen(["sh", "-c", storms], stdin=pipe, stdout=pipe)
        self.addCleanup(shell.communicate)
        self.addCleanup(shell.kill)
        assert shell.stdin is not None
        assert shell.stdout is not None
        trace = self.prepare()
        self.addCleanup(trace.reader.close)
        trace.following.take(shell.pid, 0)
        trace.following.begin()
        lives = 0
        for _ in range(2):
            shell.stdin.write(b"next\n")
            shell.stdin.flush()
            self.assertEqual(b"done\n", shell.stdout.readline())
            delta = trace.reader.read(everything=True)
            self.assertEqual(8000, delta.calls["getppid"].count)
            self.assertEqual(0, delta.ledger.untracked_processes)
            lives += sum(tally.lives for tally in delta.processes.values())
        self.assertGreater(lives, RECORDS)
