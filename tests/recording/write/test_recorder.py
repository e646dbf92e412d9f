"""Tests of what a recording is made of."""

from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.codec.events import Text
from syswatch.recording import manifest, segments
from syswatch.recording.extra import load
from syswatch.recording.manifest import Manifest
from syswatch.recording.write.recorder import Recorder

from .test_tables import event

_START = 1_700_000_000_000_000_000


class RecorderTests(TestCase):
    """The directory that is written."""

    def test_segments(self) -> None:
        """Each segment is a Parquet file, and has the texts that came with its events."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        for number in range(2):
            recorder.receive_texts([Text(7, _START + number, f"number {number}", "1")])
            recorder.receive_events(event(_START + number))
            recorder.close_segment()
        self.assertEqual([0, 1], segments.numbers_in(folder, segments.CALLS))
        rows = [
            load("pyarrow.parquet").read_table(folder / "calls" / segments.name_of(number))["args"]
            for number in range(2)
        ]
        self.assertEqual([["number 0"], ["number 1"]], [each.to_pylist() for each in rows])
        self.assertEqual(2, recorder.calls)

    def test_mode(self) -> None:
        """Only its owner may read a recording."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        recorder.receive_events(event(_START))
        recorder.close_segment()
        for each in (folder, *folder.rglob("*")):
            self.assertEqual(0, each.stat().st_mode & 0o077, each)

    def test_manifest(self) -> None:
        """The manifest is read as it was written."""
        folder = Path(self.mktemp())
        about = Manifest(begun_ns=_START, command=("dd", "bs=1"), exit_code=3)
        Recorder(folder, about).begin()
        self.assertEqual(about, manifest.read(folder))
