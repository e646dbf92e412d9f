"""Tests of recordings: what is written is read again, and what is missing is said."""

import io
import itertools
import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase
from typing_extensions import Buffer

from syswatch.codec.frames import Message, encode
from syswatch.codec.recording import (
    MAGIC,
    RecordingError,
    UnwritableError,
    is_recording,
    open_recording,
    read,
    write,
)
from syswatch.model.messages import Ended, Failed, Started

_MESSAGES: list[Message] = [Started("ptrace"), Ended(exit_code=3)]
_WHOLE = MAGIC + b"".join(map(encode, _MESSAGES))


def messages(*blocks: bytes) -> list[Message]:
    """Return what some blocks of a recording hold."""
    return [message for message in read(blocks) if message is not None]


class RecordingTests(SynchronousTestCase):
    """Recordings."""

    def test_begin(self) -> None:
        """A recording begins with its own line, and everything is in the file at once."""
        path = self.mktemp()
        recording = open_recording(path)
        self.addCleanup(recording.close)
        write(recording, b"frame")

        self.assertEqual(MAGIC + b"frame", Path(path).read_bytes())
        self.assertTrue(is_recording(Path(path).read_bytes()))
        self.assertFalse(os.get_inheritable(recording.fileno()))

    def test_two_at_once(self) -> None:
        """A file that is being recorded to is neither emptied nor written to by another."""
        path = self.mktemp()
        frame = encode(Failed("gone"))
        with open_recording(path) as recording:
            write(recording, frame)
            refused = self.assertRaises(UnwritableError, open_recording, path)
            self.assertEqual(f"--record: {path} is being written by another syswatch", str(refused))
            self.assertEqual(MAGIC + frame, Path(path).read_bytes())
        with open_recording(path):
            self.assertEqual(MAGIC, Path(path).read_bytes())

    def test_written_in_pieces(self) -> None:
        """All of a frame is written, however little the file takes at once."""

        class Slow(io.BytesIO):
            def write(self, data: Buffer, /) -> int:
                return super().write(memoryview(data)[:2])

        slow = Slow()
        write(slow, b"12345")

        self.assertEqual(b"12345", slow.getvalue())

    @given(st.lists(st.integers(0, len(_WHOLE))))
    def test_cut_anywhere(self, cuts: list[int]) -> None:
        """It does not matter how a recording is cut into blocks."""
        places = [0, *sorted(cuts), len(_WHOLE)]
        blocks = [_WHOLE[a:b] for a, b in itertools.pairwise(places)]

        self.assertEqual(_MESSAGES, messages(*blocks))

    def test_incomplete(self) -> None:
        """A recording that is cut off, damaged or without an end is an error of its own."""
        for content, words in (
            (_WHOLE[:-1], "within a message"),
            (MAGIC + encode(Started("ptrace")), "does not say how the trace ended"),
            (MAGIC, "does not say how the trace ended"),
            (MAGIC + b"\xff" * 9, "is damaged"),
        ):
            error = self.assertRaises(RecordingError, messages, content)
            self.assertIn(words, str(error))

    def test_failure_is_an_end(self) -> None:
        """A recording may end with what went wrong."""
        failed = Failed("it broke")

        self.assertEqual([failed], messages(MAGIC, encode(failed)))
