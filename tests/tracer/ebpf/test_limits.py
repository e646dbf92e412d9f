"""Tests of full tables: counts stay exact, and what did not fit is in the ledger."""

from pathlib import Path

from syswatch.tracer.ebpf import maps, records
from syswatch.tracer.ebpf import program as loading
from syswatch.tracer.ebpf.program import Program
from tests.tracer.programs import program

from .case import EbpfCase


class LimitTests(EbpfCase):
    """Each table has a limit."""

    def test_paths(self) -> None:
        """Calls with a path that does not fit are counted in the ledger."""
        self.patch(maps, "_PATHS", 4)
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        delta = self.watch(f"for i in 1 2 3 4 5 6 7; do : >{folder}/$i; : >{folder}/$i; done")
        self.assertEqual({f"{folder}/{number}": 2 for number in range(1, 5)}, dict(delta.paths))
        self.assertEqual(6, delta.ledger.untracked_paths)
        self.assertEqual((14, 0), (delta.calls["openat"].count, delta.calls["openat"].errors))

    def test_processes(self) -> None:
        """A process without a record is counted with its calls; the trace ends with it."""
        self.patch(loading, "RECORDS", 6)
        self.patch(records, "RECORDS", 6)
        delta = self.watch(f"{program('storm')} 20")
        # A shell, the program that it starts, 20 children and 4 of with_ptrace; record 0 is shared.
        self.assertEqual(5, len(delta.processes))
        self.assertEqual(26 - 5, delta.ledger.untracked_processes)
        self.assertEqual(20, delta.calls["getppid"].count)

    def test_tables_of_processes(self) -> None:
        """A process whose table is full is counted in the ledger."""
        self.patch(maps, "_ROWS", 3)
        delta = self.watch("cat /etc/hosts", per_process=True)
        self.assertEqual(3, sum(map(len, delta.by_process.values())))
        self.assertEqual(2, len(delta.processes))
        self.assertEqual(2, delta.ledger.untracked_processes)
        total = sum(tally.count for tally in delta.calls.values())
        self.assertEqual(total, sum(tally.count for tally in delta.processes.values()))

    def test_hidden(self) -> None:
        """A living process that the kernel does not show to the program is found out."""
        target, trace = self.prepare_script("true")
        self.patch(Program, "scan", lambda _: None)
        trace.following.begin()
        self.assertEqual(target.pid, trace.following.hidden())
        # It scans as well.
        trace.program.look()
        self.assertEqual(0, trace.following.hidden())

    def test_omitted(self) -> None:
        """What the kernel missed is reported once."""
        self.patch(Program, "misses", lambda _: 3)
        trace = self.prepare()
        self.addCleanup(trace.reader.close)
        deltas = [trace.reader.read(everything=True) for _ in range(2)]
        self.assertEqual([3, 0], [delta.ledger.lost_events for delta in deltas])
