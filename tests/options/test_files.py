"""Tests of files that are not written to, though an option names them."""

import os
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording import extra
from tests.options.parsing import error_of
from tests.system.servers import LOG

_FLAGS = ("output", "report")


class OverwritingTests(SynchronousTestCase):
    """Files that an option would overwrite."""

    def setUp(self) -> None:
        """Copy a log to a directory."""
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.log = self.folder / "log"
        self.log.write_bytes(LOG.read_bytes())

    def test_log(self) -> None:
        """A log that is an input is not written to, by whatever name."""
        link, other = self.folder / "link", self.folder / "other"
        link.symlink_to(self.log)
        os.link(self.log, other)
        for flag in _FLAGS:
            for name in (self.log, link, other):
                error = error_of("stats", f"--{flag}", str(name), str(LOG), str(self.log))
                self.assertEqual(f"--{flag}: {name} is an input and would be overwritten", error)
        self.assertEqual(LOG.read_bytes(), self.log.read_bytes())

    def test_same(self) -> None:
        """Two options do not write to one file, whether it exists or not."""
        for name in (str(self.folder / "new"), str(self.log)):
            odd = str(self.folder / ".." / self.folder.name / Path(name).name)
            error = error_of("run", "--report", odd, "--output", name, "--", "true")
            self.assertEqual(f"--output and --report name the same file: {odd}", error)

    def test_devices(self) -> None:
        """A device may be named twice, and standard input read beside an output."""
        new = str(self.folder / "new")
        devices = (f"--{flag}={os.devnull}" for flag in _FLAGS)
        self.assertEqual("", error_of("run", *devices, "--", sys.executable))
        self.assertEqual("", error_of("stats", "--output", new, "-", str(self.log)))


class RecordingTests(SynchronousTestCase):
    """Places where a recording cannot be made."""

    def setUp(self) -> None:
        """Create a directory."""
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def error_of(self, folder: Path) -> str:
        """Return the error of recording to a directory."""
        return error_of("run", "--record", str(folder), "--", sys.executable)

    def test_free(self) -> None:
        """A directory may be new, or empty; it is not created yet."""
        new = self.folder / "new"
        self.assertEqual("", self.error_of(self.folder))
        self.assertEqual("", self.error_of(new))
        self.assertFalse(new.exists())

    def test_taken(self) -> None:
        """Nothing is overwritten, and nothing is put among other files."""
        file = self.folder / "file"
        file.touch()
        reason = "is a file (a recording is a directory)"
        self.assertEqual(f"--record: {file} {reason}", self.error_of(file))
        reason = "is not empty (choose another directory)"
        self.assertEqual(f"--record: {self.folder} {reason}", self.error_of(self.folder))
        (self.folder / "manifest.json").touch()
        reason = "holds a recording already (choose another directory)"
        self.assertEqual(f"--record: {self.folder} {reason}", self.error_of(self.folder))

    def test_impossible(self) -> None:
        """The directory that is to hold it must exist; standard output is not a directory."""
        place = self.folder / "missing" / "new"
        self.assertEqual(f"--record: no such directory: {place.parent}", self.error_of(place))
        self.assertIn("'-' is not a directory", self.error_of(Path("-")))

    def test_missing_package(self) -> None:
        """Without the extra, the error says how to install it."""
        self.patch(extra, "_FOR_CALLS", ("numpy", "no_such_package"))
        self.assertEqual(
            "--record: recordings need the package no_such_package: pip install 'syswatch[record]'",
            self.error_of(self.folder),
        )


class LongNameTests(SynchronousTestCase):
    """Names that the file system refuses."""

    def test_long(self) -> None:
        """They are mistakes, and no internal errors."""
        name = "a" * 300
        self.assertEqual(f"{name}: File name too long", error_of("stats", name))
        self.assertEqual(f"{name}: File name too long", error_of("replay", name))
