"""Tests of the recordings that tests use."""

from functools import reduce
from operator import add
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.codec.recording import RecordingReader
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended
from syswatch.recording import manifest, segments
from syswatch.recording.extra import load

from . import samples


class SampleTests(TestCase):
    """The events and the deltas of a sample."""

    def test_agreement(self) -> None:
        """The table of calls has all calls, and the deltas have the sums of those that returned."""
        folder = samples.write(Path(self.mktemp()))
        names = [
            name
            for number in segments.numbers_in(folder, segments.CALLS)
            for name in load("pyarrow.parquet")
            .read_table(folder / segments.CALLS / segments.name_of(number))["name"]
            .to_pylist()
        ]
        self.assertCountEqual([call.name for call in samples.SOME], names)
        messages = list(RecordingReader().receive_data((folder / "deltas").read_bytes()))
        total = reduce(add, (each for each in messages if isinstance(each, Delta)), Delta())
        self.assertEqual(Ended(0), messages[-1])
        self.assertEqual(len(names) - 1, sum(each.count for each in total.calls.values()))
        self.assertEqual(samples.delta_of(samples.SOME).calls, total.calls)
        self.assertEqual(samples.delta_of(samples.SOME).activity, total.activity)

    def test_ending(self) -> None:
        """Without an end, the manifest has none either."""
        ended = samples.write(Path(self.mktemp()))
        cut = samples.write(Path(self.mktemp()), end=None)
        self.assertEqual(0, manifest.read(ended).exit_code)
        self.assertIsNone(manifest.read(cut).ended_ns)
