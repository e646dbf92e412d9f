"""Tests of opening inputs."""

import bz2
import gzip
import io
import lzma
import os
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.recording import MAGIC
from syswatch.tracer.inputs.input_file import InputError, InputFile

_LINE = b"09:08:07.000001 close(3) = 0\n"


def content(source: InputFile) -> bytes:
    """Return the whole content."""
    return b"".join(block for block, _ in source.blocks(0.01))


class SourceTests(SynchronousTestCase):
    """Files, compressed or not."""

    def setUp(self) -> None:
        """Create a path for a file."""
        self.path = Path(self.mktemp())

    def open(self, raw: bytes) -> InputFile:
        """Open a file with some content."""
        self.path.write_bytes(raw)
        source = InputFile.open(str(self.path))
        self.addCleanup(source.__exit__)
        return source

    def test_plain(self) -> None:
        """A file is read to its end, and the lengths add up to its size."""
        source = self.open(_LINE * 100_000)

        lengths = [length for _, length in source.blocks(0.01)]

        self.assertEqual(len(_LINE) * 100_000, sum(lengths))
        self.assertEqual(sum(lengths), source.size)
        self.assertTrue(source.is_seekable)

    def test_gzip(self) -> None:
        """A compressed file is decompressed; lengths count its compressed bytes."""
        compressed = gzip.compress(_LINE * 100_000)
        source = self.open(compressed)

        blocks = list(source.blocks(0.01))

        self.assertEqual(_LINE * 100_000, b"".join(block for block, _ in blocks))
        self.assertEqual(len(compressed), sum(length for _, length in blocks))
        self.assertFalse(source.is_seekable)

    def test_bzip2_and_xz(self) -> None:
        """They are read as gzip is, and their damages are errors with the name."""
        for compress in (bz2.compress, lzma.compress):
            compressed = compress(os.urandom(1 << 16).hex().encode() + b"\n" + _LINE)
            blocks = list(self.open(compressed).blocks(0.01))
            self.assertTrue(b"".join(block for block, _ in blocks).endswith(_LINE))
            self.assertEqual(len(compressed), sum(length for _, length in blocks))
            cut = self.assertRaises(InputError, content, self.open(compressed[:1000]))
            self.assertIn("ends too early", str(cut))
            damaged = bytearray(compressed)
            damaged[1000:1100] = bytes(100)
            error = self.assertRaises(InputError, content, self.open(bytes(damaged)))
            self.assertIn(str(self.path), str(error))

    def test_several_gzip_members(self) -> None:
        """Concatenated compressed files are one input."""
        self.assertEqual(
            _LINE * 3, content(self.open(gzip.compress(_LINE * 2) + gzip.compress(_LINE)))
        )

    def test_truncated_gzip(self) -> None:
        """What can be read of a truncated file is yielded before the error."""
        compressed = gzip.compress(os.urandom(1 << 16).hex().encode() * 4)
        source = self.open(compressed[: len(compressed) // 2])
        read: list[tuple[bytes, int]] = []

        error = self.assertRaises(InputError, lambda: read.extend(source.blocks(0.01)))

        self.assertIn("ends too early", str(error))
        self.assertLess(0, len(read))

    def test_damaged_gzip(self) -> None:
        """A damaged compressed file is an error with its name."""
        damaged = bytearray(gzip.compress(os.urandom(1 << 16)))
        damaged[1000] ^= 0xFF

        error = self.assertRaises(InputError, content, self.open(bytes(damaged)))

        self.assertIn(str(self.path), str(error))

    def test_missing(self) -> None:
        """A missing file is an error with the reason."""
        error = self.assertRaises(InputError, InputFile.open, str(self.path))

        self.assertEqual(f"{self.path}: No such file or directory", str(error))

    def test_directory(self) -> None:
        """A directory is an error with the reason."""
        self.path.mkdir()

        error = self.assertRaises(InputError, InputFile.open, str(self.path))

        self.assertEqual(f"{self.path}: Is a directory", str(error))

    def test_recording(self) -> None:
        """A recording is detected by its first line, compressed or not."""
        self.assertTrue(self.open(MAGIC + b"x").is_recording)
        self.assertTrue(self.open(gzip.compress(MAGIC + b"x")).is_recording)
        self.assertFalse(self.open(_LINE).is_recording)

    def test_first_and_last_time(self) -> None:
        """The times of the first and the last line are found without reading the rest."""
        last = b"10:11:12.5 close(4) = 0\n"
        source = self.open(b"Hello.\n" + _LINE * 100_000 + last + b"no time\n")

        self.assertEqual((b"09:08:07.000001", b"10:11:12.5"), source.first_and_last_time())
        self.assertEqual(_LINE.rstrip(), source.head()[1])

    def test_first_and_last_time_of_one_line(self) -> None:
        """A single line is both the first and the last."""
        self.assertEqual(
            (b"09:08:07.000001", b"09:08:07.000001"), self.open(_LINE).first_and_last_time()
        )

    def test_first_time_of_compressed(self) -> None:
        """Of a compressed file, the last time is not known before it has been read."""
        self.assertEqual(
            (b"09:08:07.000001", b""), self.open(gzip.compress(_LINE)).first_and_last_time()
        )

    def test_growing(self) -> None:
        """Data that is appended while the file is read is read, too."""
        source = self.open(_LINE)
        blocks = source.blocks(0.01)
        next(blocks)
        with self.path.open("ab") as log:
            log.write(_LINE * 2)

        self.assertEqual(_LINE * 2, next(blocks)[0])
        self.assertEqual([], list(blocks))


class StandardInputTests(SynchronousTestCase):
    """`-` is standard input."""

    def feed(self, raw: bytes) -> InputFile:
        """Make a pipe with some bytes standard input; they must fit into the pipe."""
        ours, theirs = os.pipe()
        os.write(theirs, raw)
        self.pipe = theirs
        stdin = io.TextIOWrapper(io.FileIO(ours, "r"))
        self.patch(sys, "stdin", stdin)
        self.addCleanup(stdin.close)
        return InputFile.open("-")

    def test_pipe(self) -> None:
        """A pipe is read to its end, and has no size."""
        source = self.feed(_LINE * 100)
        os.close(self.pipe)

        self.assertEqual(_LINE * 100, content(source))
        self.assertIsNone(source.size)
        self.assertEqual((b"", b""), source.first_and_last_time())

    def test_compressed_pipe(self) -> None:
        """A compressed log can be read from a pipe."""
        source = self.feed(gzip.compress(_LINE * 100))
        os.close(self.pipe)

        self.assertEqual(_LINE * 100, content(source))

    def test_idle_pipe(self) -> None:
        """Empty blocks are yielded while a pipe has no data."""
        source = self.feed(_LINE)
        self.addCleanup(os.close, self.pipe)
        blocks = source.blocks(0.001)

        self.assertEqual(_LINE, next(blocks)[0])
        self.assertEqual((b"", 0), next(blocks))
        self.assertEqual((b"", 0), next(blocks))
        os.write(self.pipe, _LINE * 2)
        self.assertEqual(_LINE * 2, next(blocks)[0])

    def test_head_does_not_consume(self) -> None:
        """Reading the first lines of a pipe does not consume them."""
        source = self.feed(_LINE * 3)
        os.close(self.pipe)

        self.assertEqual([_LINE.rstrip()] * 3, source.head())
        self.assertEqual(_LINE * 3, content(source))
