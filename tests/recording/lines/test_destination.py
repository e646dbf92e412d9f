"""Tests of files and pipes for lines."""

import os
from pathlib import Path
from select import PIPE_BUF
from threading import Thread

from twisted.trial.unittest import TestCase

from syswatch.recording.lines.destination import Destination


class DestinationTests(TestCase):
    """Where lines go."""

    def fifo(self) -> Path:
        """Return a named pipe."""
        path = Path(self.mktemp())
        os.mkfifo(path)
        return path

    def test_file(self) -> None:
        """A file holds what was written."""
        path = Path(self.mktemp())
        destination = Destination(str(path))
        destination.open()
        destination.write("one\n")
        destination.write("\udcff two\n")
        destination.close()
        self.assertEqual("one\n\\udcff two\n", path.read_text())
        self.assertEqual(path.stat().st_size, destination.written_bytes)

    def test_late_reader(self) -> None:
        """A named pipe may be opened for reading later."""
        path = self.fifo()
        destination = Destination(str(path))

        def write() -> None:
            destination.open()
            destination.write("one\n")
            destination.close()

        thread = Thread(target=write)
        thread.start()
        self.addCleanup(thread.join)
        self.assertEqual("one\n", path.read_text())

    def test_no_reader(self) -> None:
        """Without a reader it fails after the end of the trace, in words."""
        destination = Destination(str(self.fifo()))
        destination.expect_end()
        error = self.assertRaises(OSError, destination.open)
        self.assertEqual("no process has opened it for reading", error.strerror)

    def test_no_directory(self) -> None:
        """A file that cannot be created fails at once."""
        destination = Destination(f"{self.mktemp()}/absent/file")
        self.assertRaises(FileNotFoundError, destination.open)

    def test_whole_lines(self) -> None:
        """Into a pipe, lines are written so that those of others cannot get into them."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        destination = Destination.of_descriptor(writing)
        pieces: list[bytes] = []
        self.patch(Destination, "_write", lambda _self, data: pieces.append(data))
        lines = [f"{number} {'x' * (number * 7 % 300)}\n" for number in range(200)]
        lines[50] = "y" * (2 * PIPE_BUF) + "\n"
        destination.write("".join(lines))
        destination.close()
        self.assertEqual("".join(lines).encode(), b"".join(pieces))
        self.assertTrue(all(piece.endswith(b"\n") for piece in pieces))
        longest = [piece for piece in pieces if len(piece) > PIPE_BUF]
        self.assertEqual([lines[50].encode()], longest)
        self.assertLess(len(pieces), 20)

    def test_no_more_readers(self) -> None:
        """A reader that has read enough ends the output."""
        reading, writing = os.pipe()
        destination = Destination.of_descriptor(writing)
        os.close(reading)
        self.assertRaises(BrokenPipeError, destination.write, "one\n")
        destination.close()
