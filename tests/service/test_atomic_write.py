"""Tests of atomic file replacement."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.service.atomic_write import PRIVATE, write_atomically


class WriteWholeTests(SynchronousTestCase):
    """A file that others may read at any time."""

    def setUp(self) -> None:
        """Create a folder."""
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        self.path = self.folder / "report.html"

    def test_written(self) -> None:
        """The file has the content, and no other file is left."""
        write_atomically(str(self.path), "ä")

        self.assertEqual("ä", self.path.read_text("utf-8"))
        self.assertEqual([self.path], list(self.folder.iterdir()))

    def test_new(self) -> None:
        """Only its owner can read a new file, unless that is asked for; the umask holds."""
        self.addCleanup(os.umask, os.umask(0o027))
        for mode, expected in ((PRIVATE, 0o600), (0o666, 0o640)):
            write_atomically(str(self.path), "secret", mode)
            self.assertEqual(expected, self.path.stat().st_mode & 0o777)
            self.path.unlink()

    def test_replaced(self) -> None:
        """An existing file is replaced: a process that has it open keeps the old content."""
        self.path.write_text("old")
        with self.path.open() as before:
            write_atomically(str(self.path), "new")

            self.assertEqual("old", before.read())
        self.assertEqual("new", self.path.read_text())

    def test_mode(self) -> None:
        """The mode of an existing file is kept."""
        self.path.touch(mode=0o600)
        write_atomically(str(self.path), "secret")

        self.assertEqual(0o600, self.path.stat().st_mode & 0o777)

    def test_link(self) -> None:
        """A link is kept, and its target is replaced."""
        link = self.folder / "latest.html"
        link.symlink_to(self.path.name)
        write_atomically(str(link), "new")

        self.assertTrue(link.is_symlink())
        self.assertEqual("new", self.path.read_text())

    def test_no_file(self) -> None:
        """A pipe is written to."""
        read_end, write_end = os.pipe()
        self.addCleanup(os.close, read_end)
        write_atomically(f"/dev/fd/{write_end}", "piped")
        os.close(write_end)

        self.assertEqual(b"piped", os.read(read_end, 100))

    def test_device(self) -> None:
        """A device is written to, also by root."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        write_atomically(os.ttyname(theirs), "shown")

        self.assertEqual(b"shown", os.read(ours, 100))

    def test_no_place(self) -> None:
        """On an error the old file stays, and no temporary file is left."""
        self.path.mkdir()

        self.assertRaises(OSError, write_atomically, str(self.path), "new")

        self.assertEqual([self.path], list(self.folder.iterdir()))

    def test_no_text(self) -> None:
        """The same holds for content that cannot be encoded."""
        self.path.write_text("old")

        self.assertRaises(ValueError, write_atomically, str(self.path), "\udcff")

        self.assertEqual("old", self.path.read_text())
        self.assertEqual([self.path], list(self.folder.iterdir()))
