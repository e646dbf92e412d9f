"""Tests of reading what profiles are made of."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.codec.recording import MAGIC
from syswatch.comparison.sources import SourceError
from syswatch.comparison.sources.evidence import read_evidence
from syswatch.model.delta import Delta
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended, Started

_EVIDENCE: Evidence = {EvidenceKey("ioctl", (7,), "x86_64", "app"): EvidenceTally(3, 5)}


class EvidenceTests(SynchronousTestCase):
    """Recordings."""

    def recorded(self, *deltas: Delta) -> str:
        """Write a recording; return its name."""
        path = Path(self.mktemp())
        frames = (encode(Started("ebpf")), *map(encode, deltas), encode(Ended()))
        path.write_bytes(MAGIC + b"".join(frames))
        return str(path)

    def test_complete(self) -> None:
        """Evidence is added up; what loses no call has no note."""
        delta = Delta(evidence=_EVIDENCE, ledger=Ledger(untracked_evidence=2))
        found = read_evidence(self.recorded(delta, delta))
        self.assertEqual({key: EvidenceTally(6, 5) for key in _EVIDENCE}, dict(found.evidence))
        self.assertEqual((), found.notes)

    def test_incomplete(self) -> None:
        """Lost calls have a note, and so have processes whose start was not seen."""
        ledger = Ledger(lost_events=1, unseen_starts=2)
        notes = read_evidence(self.recorded(Delta(evidence=_EVIDENCE, ledger=ledger))).notes
        self.assertEqual(2, len(notes))
        self.assertEqual(
            "2 processes that were running before they were traced, so the profile lacks their"
            " start",
            notes[1],
        )

    def test_no_evidence(self) -> None:
        """A recording without evidence is refused, with what to do."""
        error = self.assertRaises(SourceError, read_evidence, self.recorded(Delta()))
        self.assertIn("record again with --profile", str(error))
