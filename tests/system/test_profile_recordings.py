"""Profiles of recordings that were made without `--profile`, with real programs."""

import os
import subprocess
from collections import Counter
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.sources import SourceError
from syswatch.comparison.sources.evidence import read_evidence
from syswatch.model.evidence import Evidence, EvidenceKey
from syswatch.recording import segments
from syswatch.recording.read.evidence import evidence_of
from syswatch.tracer.naming import machine
from tests.system.servers import PATIENCE_S, SYSWATCH, need
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

_SCRIPT = "env ls / | sort | head -n 2; env env true; (exit 3); kill -TERM $$"
# They depend on which thread or process is faster.
_UNSTEADY = frozenset({"futex", "madvise", "munmap", "rt_sigreturn"})
Row = tuple[object, ...]


class RecordingTests(SynchronousTestCase):
    """The calls of recordings."""

    def setUp(self) -> None:
        """Find out whether programs can be traced."""
        require_tracing()

    def record(self, *command: str, backend: str = "ptrace", profile: bool = False) -> Path:
        """Record a command; return the directory."""
        folder = Path(self.mktemp())
        subprocess.run(
            [
                *(*SYSWATCH, "run", "--backend", backend, "--tui", "never"),
                *(["--profile"] if profile else []),
                *("--record", str(folder), "--", *command),
            ],
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return folder

    def assert_same(self, *command: str) -> None:
        """Check that the calls amount to the evidence that was kept of the same run."""
        folder = self.record(*command, profile=True)
        kept = read_evidence(str(folder)).evidence
        found = evidence_of(folder)
        rows = {
            key._replace(architecture=key.architecture or machine()): tally
            for key, tally in found.rows
        }
        self.assertEqual(_counts(kept), _counts(rows), command)
        for key, tally in kept.items():
            # Each is dated by the clock of the time when it was sent.
            self.assertAlmostEqual(tally.first_ns, rows[key].first_ns, delta=1_000_000)

    def test_same_as_kept(self) -> None:
        """Arguments, programs, architectures, killed processes and times are the same."""
        self.assert_same(program("ruled"))
        self.assert_same("sh", "-c", _SCRIPT)
        self.assert_same(program("storm"), "60")
        self.assert_same(program("seccomp_refuses"), "process")
        if machine() == "x86_64":
            self.assert_same(program("ruled", "-m32"))
            self.assert_same(program("x32"))

    def test_ebpf(self) -> None:
        """A recording of another backend has the same evidence."""
        require_ebpf()
        for command in ([program("ruled")], ["sh", "-c", _SCRIPT]):
            kept = read_evidence(str(self.record(*command, profile=True))).evidence
            found = read_evidence(str(self.record(*command, backend="ebpf"))).evidence
            self.assertEqual(_steady(kept), _steady(found), command)

    def test_log(self) -> None:
        """The recording of a log has the evidence of the log."""
        need("strace")
        folder, log = Path(self.mktemp()), Path(self.mktemp())
        command = (program("ruled"), "64 bit only")
        subprocess.run(["strace", "-f", "-o", str(log), *command], check=True)
        subprocess.run(
            [*SYSWATCH, "stats", "--record", str(folder), str(log)],
            check=True,
            capture_output=True,
        )
        self.assertEqual(
            _steady(read_evidence(str(log)).evidence), _steady(read_evidence(str(folder)).evidence)
        )

    def test_filter(self) -> None:
        """Refusals that the calls do not show are said to be missing."""
        notes = read_evidence(str(self.record(program("seccomp_refuses"), "trap"))).notes
        self.assertEqual(1, sum("seccomp filter" in note for note in notes), notes)

    def test_damaged(self) -> None:
        """What can't be read is said first; without any call, there is no profile."""
        folder = self.record("true")
        ended = self.profile(str(folder))
        self.assertEqual((0, ""), (ended.returncode, ended.stderr))
        for path in (folder / segments.CALLS).iterdir():
            path.write_bytes(b"PAR1" * 100)
        ended = self.profile(str(folder))
        self.assertEqual((2, ""), (ended.returncode, ended.stdout))
        with self.assertRaisesRegex(SourceError, "it has no calls that a profile can be made of"):
            read_evidence(str(folder))

    def test_check(self) -> None:
        """A profile that was made of one recording is checked against another."""
        own, other = self.record("true"), self.record("ls", "/")
        written = self.profile("--format", "json", "-o", "true.json", str(own))
        self.assertEqual(0, written.returncode, written.stderr)
        self.addCleanup(os.unlink, "true.json")
        self.assertEqual(0, self.profile("check", "true.json", str(own)).returncode)
        checked = self.profile("check", "true.json", str(other))
        self.assertEqual(1, checked.returncode, checked.stderr)
        self.assertIn("getdents64", checked.stdout)

    def test_lost(self) -> None:
        """A recording that is cut short says so before the profile."""
        folder = self.record("true")
        manifest = folder / "manifest.json"
        text = manifest.read_text()
        manifest.write_text(text.replace('"lost": 0', '"lost": 7'))
        ended = self.profile(str(folder))
        self.assertIn("calls may be missing: 7 calls are missing", ended.stderr)

    def profile(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run `syswatch profile`."""
        return subprocess.run(
            [*SYSWATCH, "profile", *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )


def _counts(evidence: Evidence) -> dict[EvidenceKey, int]:
    return {key: tally.count for key, tally in evidence.items()}


def _steady(evidence: Evidence) -> Counter[Row]:
    counts: Counter[Row] = Counter()
    for key, tally in evidence.items():
        if key.call not in _UNSTEADY:
            counts[key._replace(architecture=key.architecture or machine())] += tally.count
    return counts
