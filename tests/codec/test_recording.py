"""Tests of the format of deltas in recordings."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Message, encode
from syswatch.codec.recording import (
    MAGIC,
    RecordingError,
    RecordingReader,
    is_recording,
)
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started

_MESSAGES: list[Message] = [Started("ptrace"), Ended(exit_code=3)]
_WHOLE = MAGIC + b"".join(map(encode, _MESSAGES))


def messages(*blocks: bytes) -> list[Message]:
    """Return the messages of a recording that is read in blocks."""
    reader = RecordingReader()
    read = list(itertools.chain.from_iterable(map(reader.receive_data, blocks)))
    reader.close()
    return read


class ReaderTests(SynchronousTestCase):
    """Reading."""

    def test_version_2(self) -> None:
        """The first line of version 2 never changes: recordings are kept for years."""
        self.assertEqual(b"syswatch recording 2\n", MAGIC)

    def test_detected(self) -> None:
        """Recordings of all versions are detected by their first line."""
        self.assertTrue(is_recording(_WHOLE))
        self.assertTrue(is_recording(b"syswatch recording 27\n"))
        self.assertFalse(is_recording(b"syswatch recording\n"))
        self.assertFalse(is_recording(b'execve("/bin/true", ["true"], 0x7ff) = 0\n'))

    @given(st.lists(st.integers(0, len(_WHOLE))))
    def test_cut_anywhere(self, cuts: list[int]) -> None:
        """The size of the blocks makes no difference."""
        places = [0, *sorted(cuts), len(_WHOLE)]
        blocks = [_WHOLE[a:b] for a, b in itertools.pairwise(places)]

        self.assertEqual(_MESSAGES, messages(*blocks))

    def test_errors(self) -> None:
        """A recording that is cut short, damaged or of another version is an error."""
        for content, words in (
            (_WHOLE[:-1], "last message is incomplete"),
            (MAGIC + encode(Started("ptrace")), "the end of the trace is missing"),
            (MAGIC, "the end of the trace is missing"),
            (MAGIC[:-1], "the end of the trace is missing"),
            (MAGIC + b"\xff" * 9, "is damaged"),
            (b"close(3) = 0\n" * 9, "its first line is missing"),
            (b"syswatch recording 3\n", "format version 3, this syswatch reads versions up to 2"),
        ):
            error = self.assertRaises(RecordingError, messages, content)
            self.assertIn(words, str(error))

    def test_failure_is_an_end(self) -> None:
        """A recording may end with an error of the tracer."""
        failed = Failed("it broke")

        self.assertEqual([failed], messages(MAGIC, encode(failed)))

    def test_escaped(self) -> None:
        """Text from a recording is escaped: anyone may have written it."""
        hostile = Delta(calls={"\x1b[2J": CallTally(1)})

        delta, _ = messages(MAGIC, encode(hostile), encode(Ended()))

        self.assertEqual(Delta(calls={"\\x1b[2J": CallTally(1)}), delta)
