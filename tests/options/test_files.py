"""Which files are not written to, though an option names them."""

import os
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import actions as plugin
from tests.system.servers import LOG

_FLAGS = ("output", "report", "record")


class OverwritingTests(SynchronousTestCase):
    """Files that an option would overwrite."""

    def setUp(self) -> None:
        """Make a folder with a log."""
        self.said: list[str] = []
        self.patch(plugin, "announce", self.said.append)
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.log = self.folder / "log"
        self.log.write_bytes(LOG.read_bytes())

    def refused(self, *words: str) -> str:
        """Return the sentence by which a command line is refused."""
        end = self.assertRaises(SystemExit, plugin.Options().parseOptions, list(words))
        self.assertEqual(2, end.code)
        return self.said.pop()

    def test_log(self) -> None:
        """A log that is read is not written to, whatever it is called."""
        link, other = self.folder / "link", self.folder / "other"
        link.symlink_to(self.log)
        os.link(self.log, other)
        for flag in _FLAGS:
            for name in (self.log, link, other):
                said = self.refused("stats", f"--{flag}", str(name), str(LOG), str(self.log))
                self.assertEqual(f"--{flag}: {name} is to be read, and would be overwritten", said)
        self.assertEqual(LOG.read_bytes(), self.log.read_bytes())

    def test_same(self) -> None:
        """Two options do not write to one file, be it there already or not."""
        for name in (str(self.folder / "new"), str(self.log)):
            odd = str(self.folder / ".." / self.folder.name / Path(name).name)
            for flag, other in (("output", "report"), ("output", "record"), ("report", "record")):
                said = self.refused("run", f"--{other}", odd, f"--{flag}", name, "--", "true")
                self.assertEqual(f"--{flag} and --{other} name the same file: {odd}", said)

    def test_devices(self) -> None:
        """What keeps nothing may be named twice, as may the standard input."""
        new = str(self.folder / "new")
        plugin.Options().parseOptions(
            ["run", *(f"--{flag}={os.devnull}" for flag in _FLAGS), "--", sys.executable]
        )
        plugin.Options().parseOptions(["stats", "--output", new, "-", str(self.log)])
        self.assertEqual([], self.said)
