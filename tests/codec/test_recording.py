"""Tests of the recording format, written and read."""

import io
import itertools
import os
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase
from typing_extensions import Buffer

from syswatch.codec.frames import Message, encode
from syswatch.codec.recording import (
    MAGIC,
    RecordingError,
    RecordingReader,
    RecordingWriter,
    UnwritableError,
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


def recorded(path: str, frames: Iterable[bytes]) -> bytes:
    """Return the content of a recording."""
    writer = RecordingWriter.create(path)
    for frame in frames:
        writer.write_frame(frame)
    writer.close()
    return Path(path).read_bytes()


class WriterTests(SynchronousTestCase):
    """Writing."""

    def test_round_trip(self) -> None:
        """What is written is a recording of the current version, and reads the same."""
        content = recorded(self.mktemp(), map(encode, _MESSAGES))

        self.assertEqual(_WHOLE, content)
        self.assertEqual(_MESSAGES, messages(content))

    def test_unbuffered(self) -> None:
        """A frame is in the file when `write_frame` returns."""
        path = self.mktemp()
        writer = RecordingWriter.create(path)
        self.addCleanup(writer.close)
        writer.write_frame(b"frame")

        self.assertEqual(MAGIC + b"frame", Path(path).read_bytes())

    def test_replaced(self) -> None:
        """An existing file is replaced."""
        path = self.mktemp()
        recorded(path, [encode(Failed("x" * 1000))])

        self.assertEqual(_WHOLE, recorded(path, map(encode, _MESSAGES)))

    def test_two_at_once(self) -> None:
        """A file that is being recorded to cannot be opened by a second writer."""
        path = self.mktemp()
        frame = encode(Failed("gone"))
        writer = RecordingWriter.create(path)
        writer.write_frame(frame)
        refused = self.assertRaises(UnwritableError, RecordingWriter.create, path)
        self.assertEqual(f"--record: {path} is being written by another syswatch", str(refused))
        self.assertEqual(MAGIC + frame, Path(path).read_bytes())
        writer.close()

        self.assertEqual(MAGIC, recorded(path, []))

    def test_unwritable(self) -> None:
        """A file that cannot be created is an error in one sentence."""
        path = f"{self.mktemp()}/missing"
        error = self.assertRaises(UnwritableError, RecordingWriter.create, path)
        self.assertEqual(
            f"--record: {path} cannot be written: {os.strerror(2)}",
            str(error),
        )

    def test_partial_writes(self) -> None:
        """All of a frame is written, however little one call takes."""

        class Slow(io.BytesIO):
            def write(self, data: Buffer, /) -> int:
                return super().write(memoryview(data)[:2])

        slow = Slow()
        RecordingWriter(slow).write_frame(b"12345")

        self.assertEqual(b"12345", slow.getvalue())

    def test_not_inherited(self) -> None:
        """Traced programs do not inherit the descriptor."""
        path = Path(self.mktemp()).resolve()
        writer = RecordingWriter.create(str(path))
        self.addCleanup(writer.close)
        links = Path("/proc/self/fd").iterdir()
        own = [int(link.name) for link in links if os.path.realpath(link) == str(path)]

        self.assertEqual([False], list(map(os.get_inheritable, own)))


class ReaderTests(SynchronousTestCase):
    """Reading."""

    def test_version_1(self) -> None:
        """The first line of version 1 never changes: recordings are kept for years."""
        self.assertEqual(b"syswatch recording 1\n", MAGIC)

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
            (b"syswatch recording 2\n", "format version 2, this syswatch reads version 1"),
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
