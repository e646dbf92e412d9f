"""Tests of the sums of recorded calls against what the tracer itself reported."""

import subprocess
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.recording import DELTAS, RecordingReader
from syswatch.model.delta import Delta
from syswatch.model.times import LONGEST_NS
from syswatch.recording.read.fold import Folder
from syswatch.recording.read.opening import Recording
from tests.system.servers import PATIENCE_S, SYSWATCH
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

_EXACT = ("calls", "activity", "object_waits")
_SCRIPT = (
    "dd if=/dev/zero of=/dev/null bs=1 count=500; ls / /nowhere; sleep 0.2; cat /etc/hosts | wc"
)


class SumTests(SynchronousTestCase):
    """Programs that are traced and recorded."""

    def check(self, backend: str) -> None:
        """Record a program; the sums are the same, for the whole and for parts added up."""
        folder = Path(self.mktemp())
        options = ("--backend", backend, "--tui", "never", "--per-pid", "--record", str(folder))
        subprocess.run(
            [*SYSWATCH, "run", *options, "--", "sh", "-c", _SCRIPT],
            check=True,
            capture_output=True,
            timeout=PATIENCE_S,
        )
        messages = RecordingReader().receive_data((folder / DELTAS).read_bytes())
        recorded = reduce(add, (each for each in messages if isinstance(each, Delta)), Delta())
        reader = Folder(Recording.open(folder))
        whole = reader.fold(per_process=True)
        assert whole.span is not None
        middle_ns = (whole.span.first_ns + whole.span.last_ns) // 2
        bounds = (0, middle_ns, middle_ns + 10_000_000, LONGEST_NS)
        parts = [reader.fold(*bound, per_process=True) for bound in pairwise(bounds)]
        total = reduce(add, parts)
        self.assertGreater(sum(tally.count for tally in recorded.calls.values()), 1000)
        for name in _EXACT:
            self.assertEqual(getattr(recorded, name), getattr(whole, name), name)
            self.assertEqual(getattr(recorded, name), getattr(total, name), name)
        self.assertEqual(_by_process(recorded), _by_process(whole))
        self.assertEqual((), reader.recording.notes)

    def test_ebpf(self) -> None:
        """All calls that eBPF counts are recorded."""
        require_ebpf()
        self.check("ebpf")

    def test_ptrace(self) -> None:
        """All calls that ptrace counts are recorded."""
        require_tracing()
        self.check("ptrace")


def _by_process(delta: Delta) -> dict[tuple[int, str], tuple[int, int, int]]:
    """Return the sums of processes; eBPF does not have the histograms of their waits."""
    return {
        (pid, name): (tally.count, tally.errors, tally.total_ns)
        for pid, calls in delta.by_process.items()
        for name, tally in calls.items()
    }
