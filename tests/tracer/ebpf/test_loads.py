"""Tests of both programs for the beginning of a call: that of Linux 6.2 loads directly."""

from pathlib import Path
from unittest import SkipTest

from syswatch.tracer.ebpf.relocation import casts_pointers
from tests.tracer.contract.targets import Target

from .activities import sums_by
from .case import EbpfCase

# The same descriptor numbers, and mostly the same addresses in the kernel, for two files in turn.
_IN_TURN = (
    "echo ready; read line;"
    " for turn in $(seq 200); do"
    " exec 3>{0}/a; echo 1 >&3; exec 3>{0}/b; echo 123 >&3; echo 123 >&3;"
    " done; exit 42"
)


class LoadTests(EbpfCase):
    """A shell that opens two files again and again."""

    def check(self) -> None:
        """Check the writes of both files."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        target = Target.begin("sh", "-c", _IN_TURN.format(folder))
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        trace = self.prepare()
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        trace.following.begin()
        self.assertEqual(42, target.end())
        delta = trace.reader.read(everything=True, is_last=True)
        writes = sums_by(delta, "write")
        found = [
            (writes[name].count, writes[name].bytes_out) for name in (f"{folder}/a", f"{folder}/b")
        ]
        self.assertEqual([(200, 400), (400, 1600)], found)

    def test_old(self) -> None:
        """The program for older kernels credits the right file; newer ones load it, too."""
        self.leave_out("on_enter")
        self.check()

    def test_new(self) -> None:
        """So does the program that loads directly."""
        if not casts_pointers():
            raise SkipTest("the kernel has no bpf_rdonly_cast (Linux 6.2)")
        self.check()
