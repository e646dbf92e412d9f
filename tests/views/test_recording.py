"""Tests of what is said about a recording."""

import attrs
import msgspec
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.recording import RecordingState
from syswatch.views import record_builders
from syswatch.views.recording import sentence, stopped

_STATE = RecordingState("dd.rec", calls=1_234_567, written_bytes=12 << 20)


class SentenceTests(SynchronousTestCase):
    """Sentences for people."""

    def test_complete(self) -> None:
        """Without losses it is how much was recorded."""
        self.assertEqual("recording dd.rec: 1,234,567 calls, 12 MiB", sentence(_STATE))
        self.assertIn("1 call, ", sentence(attrs.evolve(_STATE, calls=1)))

    def test_losses(self) -> None:
        """What is missing comes first."""
        lost = attrs.evolve(_STATE, lost=5000)
        self.assertEqual(
            "recording dd.rec: 5,000 calls are missing, 1,234,567 calls, 12 MiB", sentence(lost)
        )
        self.assertIn("rec: 1 call is missing, ", sentence(attrs.evolve(_STATE, lost=1)))

    def test_trouble(self) -> None:
        """If it has stopped, why is said first."""
        full = attrs.evolve(_STATE, trouble="No space left on device")
        self.assertIn("dd.rec: stopped early (No space left on device), 1", sentence(full))
        self.assertEqual(
            "recording dd.rec has stopped: No space left on device; what was written before it "
            "can be read",
            stopped(full),
        )

    def test_status(self) -> None:
        """The API says it only if something is recorded."""
        snapshot = Aggregator().snapshot()
        self.assertFalse(record_builders.status(snapshot).recordings)
        snapshot = attrs.evolve(snapshot, recordings=(_STATE,))
        (found,) = msgspec.to_builtins(record_builders.status(snapshot))["Recordings"]
        self.assertEqual((sentence(_STATE), 1_234_567), (found["Text"], found["Calls"]))
        self.assertEqual((0, False, ""), (found["Lost"], found["Complete"], found["Trouble"]))
