"""Tests of what is said about a recording before its numbers."""

from twisted.trial.unittest import TestCase

from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording.manifest import Manifest
from syswatch.recording.notes import ending, outside, stopped_early, troubles


class NoteTests(TestCase):
    """Sentences on losses and endings."""

    def test_troubles(self) -> None:
        """Losses are counted, and it is said why the recording ends early."""
        self.assertEqual([], list(troubles(Manifest(1, ended_ns=2))))
        self.assertEqual(
            [
                "1 call is missing from the recording, which could not be written fast enough",
                "the recording is cut short: the end of the trace is missing",
            ],
            list(troubles(Manifest(1, lost=1))),
        )
        self.assertEqual(
            ["the recording is cut short: No space left on device\\x1b"],
            list(troubles(Manifest(1, trouble="No space left on device\x1b"))),
        )

    def test_stopped_early(self) -> None:
        """Where the end is known to be missing, the reason alone is said."""
        self.assertEqual("", stopped_early(Manifest(1)))
        self.assertEqual(
            "recording stopped early: No space left on device\\x1b",
            stopped_early(Manifest(1, trouble="No space left on device\x1b")),
        )

    def test_being_made(self) -> None:
        """A recording that a recorder still writes is not cut short."""
        running = "the recording is still being made; this is what it holds so far"
        self.assertEqual([running], list(troubles(Manifest(1), is_locked=True)))
        self.assertEqual([], list(troubles(Manifest(1, ended_ns=2), is_locked=True)))
        self.assertEqual(
            ["the recording is cut short: No space left on device"],
            list(troubles(Manifest(1, trouble="No space left on device"), is_locked=True)),
        )

    def test_outside(self) -> None:
        """A range before the recording, or after it, has no calls."""
        about = Manifest(SECOND_NS, ended_ns=3 * SECOND_NS)
        expected = (
            "that range has no calls; "
            "the recording is from 1970-01-01T00:00:01.000Z to 1970-01-01T00:00:03.000Z"
        )
        for since_ns, until_ns in ((0, SECOND_NS), (3 * SECOND_NS + 1, LONGEST_NS)):
            self.assertEqual([expected], list(outside(about, since_ns, until_ns)))
        for since_ns, until_ns in ((0, SECOND_NS + 1), (3 * SECOND_NS, LONGEST_NS)):
            self.assertEqual([], list(outside(about, since_ns, until_ns)))
        (of_long_one,) = outside(Manifest(SECOND_NS, ended_ns=99 * SECOND_NS), 0, SECOND_NS)
        self.assertTrue(of_long_one.endswith("to 1970-01-01T00:01:39Z"), of_long_one)
        # How long it is still being made is not known.
        self.assertEqual([], list(outside(Manifest(1), 0, 1)))

    def test_ending(self) -> None:
        """The command and how it ended are named, if they are known."""
        self.assertEqual("", ending(Manifest(1)))
        about = Manifest(1, command="dd bs=1", exit_code=3)
        self.assertEqual("dd bs=1 exited with 3", ending(about))
        self.assertEqual("the program was killed by SIGKILL", ending(Manifest(1, exit_signal=9)))
