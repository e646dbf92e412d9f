"""Tests of calls by number, including invalid numbers."""

from attrs import evolve

from syswatch.model.histogram import Histogram
from tests.tracer.programs import program

from .case import EbpfCase


class NumberTests(EbpfCase):
    """Each number is counted under its own name, in every mode."""

    def test_odd_numbers(self) -> None:
        """Invalid numbers and those of another ABI are counted as with ptrace, in both modes."""
        with_ebpf, with_ptrace = self.both(program("odd_numbers"))
        self.assertEqual(with_ptrace.counts, with_ebpf.counts)
        counted = self.trace(program("odd_numbers"), mode="counts")
        self.assertEqual(with_ptrace.counts, counted.counts)
        for name, count in (
            ("syscall_0xffffffffffffffff", (9, 9)),
            ("syscall_0xffffffffffffffff@i386", (3, 3)),
            ("getpid@x32", (3, 3)),
            ("rt_sigreturn", (3, 0)),
        ):
            self.assertEqual(count, with_ebpf.counts[name], name)

    def test_selected(self) -> None:
        """An x32 call is selected by its name, and an invalid number by none."""
        for mode in ("full", "counts"):
            counts = self.trace(
                program("odd_numbers"), trace="getpid,rt_sigreturn", mode=mode
            ).counts
            expected = {"getpid": (3, 0), "getpid@x32": (3, 3), "rt_sigreturn": (3, 0)}
            self.assertEqual(expected, counts, mode)

    def test_each_process(self) -> None:
        """The tables of processes have the same names and numbers."""
        delta = self.trace(program("odd_numbers"), per_process=True).delta
        (calls,) = delta.by_process.values()
        # The histogram of the waits is kept of all processes together only.
        summed = {
            name: evolve(tally, waits=evolve(tally.waits, histogram=Histogram()))
            for name, tally in delta.calls.items()
        }
        self.assertEqual(summed, calls)

    def test_many(self) -> None:
        """Numbers beyond those with rows of their own are counted together."""
        script = "import ctypes\nfor n in range(2000, 2100): ctypes.CDLL(None).syscall(n)"
        counts = self.trace("python3", "-c", script).counts
        strange = {name: count for name, count in counts.items() if name.startswith("syscall_")}
        self.assertEqual(65, len(strange))
        self.assertEqual((36, 36), strange["syscall_other"])
        self.assertEqual({(1, 1)}, {strange[f"syscall_{n:#x}"] for n in range(2000, 2064)})
