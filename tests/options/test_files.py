"""Tests of files that are not written to, though an option names them."""

import os
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.options.parsing import error_of
from tests.system.servers import LOG

_FLAGS = ("output", "report", "record")


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
            for flag, other in (("output", "report"), ("output", "record"), ("report", "record")):
                error = error_of("run", f"--{other}", odd, f"--{flag}", name, "--", "true")
                self.assertEqual(f"--{flag} and --{other} name the same file: {odd}", error)

    def test_devices(self) -> None:
        """A device may be named twice, and standard input read beside an output."""
        new = str(self.folder / "new")
        devices = (f"--{flag}={os.devnull}" for flag in _FLAGS)
        self.assertEqual("", error_of("run", *devices, "--", sys.executable))
        self.assertEqual("", error_of("stats", "--output", new, "-", str(self.log)))
