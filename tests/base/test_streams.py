"""Tests of the standard streams."""

import io
import os
from typing import Any, BinaryIO, cast

from twisted.trial.unittest import SynchronousTestCase

from syswatch.base import streams
from syswatch.base.streams import print_message, write_all, write_text
from tests.hostile import HOSTILE


class _Interrupted(io.RawIOBase):
    """A stream whose writes are cut short, as by signals."""

    written = b""

    def writable(self) -> bool:
        """Allow writing."""
        return True

    def write(self, data: Any) -> int:
        """Write three bytes."""
        self.written += bytes(data[:3])
        return len(data[:3])


class MessageTests(SynchronousTestCase):
    """Messages on stderr."""

    def test_gone(self) -> None:
        """A closed terminal is ignored."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, theirs)
        self.patch(streams._Messages, "descriptor", theirs)
        print_message("heard")
        self.assertEqual(b"syswatch: heard\r\n", os.read(ours, 100))

        os.close(ours)
        print_message("not heard")

    def test_inert(self) -> None:
        """Text in a message is escaped, so that it stays one line."""
        ours, theirs = os.pipe()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        self.patch(streams._Messages, "descriptor", theirs)
        for raw, shown in HOSTILE.items():
            text = os.fsdecode(raw)
            print_message(text, f"in {text}")
            self.assertEqual(f"syswatch: {shown}\nin {shown}\n".encode(), os.read(ours, 1000))


class WritingTests(SynchronousTestCase):
    """Writing a text to a stream."""

    def test_old_terminal(self) -> None:
        """Characters that the encoding lacks are escaped."""
        written = io.BytesIO()
        out = io.TextIOWrapper(written, "ascii")
        write_text(out, "4 µs\n")
        self.assertEqual(b"4 \\xb5s\n", written.getvalue())

    def test_unbuffered(self) -> None:
        """A text is written to its end, even if each write is cut short."""
        stream = _Interrupted()
        out = io.TextIOWrapper(cast(BinaryIO, stream), "utf-8", write_through=True)
        write_text(out, "4 µs of 7\n")
        self.assertEqual("4 µs of 7\n".encode(), stream.written)

    def test_short_writes(self) -> None:
        """Bytes are written to their end, even if each write is cut short."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        write = os.write
        self.patch(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
        write_all(writing, b"4 seconds of 7")
        self.assertEqual(b"4 seconds of 7", os.read(reading, 100))
