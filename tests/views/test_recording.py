"""Tests of what is said about a recording."""

import attrs
import msgspec
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.recording import RecordingState, Save
from syswatch.views import record_builders
from syswatch.views.recording import changed_saves, moment, sentence, stopped

_FROM = 1_700_000_000 * 10**9
_STATE = RecordingState("dd.rec", calls=1_234_567, written_bytes=12 << 20)


class SentenceTests(SynchronousTestCase):
    """Sentences for people."""

    def test_complete(self) -> None:
        """Without losses it is how much was recorded."""
        self.assertEqual("recording dd.rec: 1,234,567 calls, 12 MiB", sentence(_STATE))
        self.assertIn("1 call, ", sentence(attrs.evolve(_STATE, calls=1)))

    def test_unfinished(self) -> None:
        """Calls that have not returned are named apart."""
        for number, have in ((1, "1 that has"), (1_200, "1,200 that have")):
            found = sentence(attrs.evolve(_STATE, unfinished=number))
            expected = f"recording dd.rec: 1,234,567 calls and {have} not returned, 12 MiB"
            self.assertEqual(expected, found)

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

    def test_kept(self) -> None:
        """Of a flight recorder, it is which part is kept, and what was saved last."""
        kept = attrs.evolve(_STATE, kept_from_ns=_FROM, kept_to_ns=_FROM + 300 * 10**9)
        bounds = f"12 MiB from {moment(_FROM)} to {moment(_FROM + 300 * 10**9)}"
        self.assertTrue(sentence(kept).endswith(bounds))
        made = (Save(1, "x/saves/a", "SIGUSR1"), Save(2, "x/saves/b", "ENOSPC"))
        found = sentence(attrs.evolve(kept, saves=made))
        self.assertTrue(found.endswith("; 2 saves, the newest one is saves/b (ENOSPC)"), found)
        failed = Save(3, "x/saves/c", "SIGUSR1", trouble="No space left on device")
        found = sentence(attrs.evolve(kept, saves=(failed,)))
        end = f"{bounds}; the last save failed (SIGUSR1): No space left on device"
        self.assertTrue(found.endswith(end), found)

    def test_changed_saves(self) -> None:
        """What was saved or removed is said; recording continues unless it does not."""
        save = Save(1, "x/saves/a", "SIGUSR1", trouble="No space left on device")
        after = attrs.evolve(_STATE, saves=(save,))
        (found,) = changed_saves(_STATE, after)
        text = "x/saves/a could not be saved (SIGUSR1): No space left on device"
        self.assertEqual(f"{text}; recording continues", found)
        self.assertEqual([text], [*changed_saves(_STATE, attrs.evolve(after, trouble="Full"))])
        self.assertEqual([], [*changed_saves(after, _STATE)])

    def test_status(self) -> None:
        """The API says it only if something is recorded."""
        snapshot = Aggregator().snapshot()
        self.assertFalse(record_builders.status(snapshot).recordings)
        snapshot = attrs.evolve(snapshot, recordings=(_STATE,))
        (found,) = msgspec.to_builtins(record_builders.status(snapshot))["Recordings"]
        self.assertEqual((sentence(_STATE), 1_234_567), (found["Text"], found["Calls"]))
        self.assertEqual((0, False, ""), (found["Lost"], found["Complete"], found["Trouble"]))
        self.assertEqual((None, None, []), (found["KeptFrom"], found["KeptTo"], found["Saves"]))
