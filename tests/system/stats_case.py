"""The base class of tests of `syswatch stats`."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests import samples
from tests.system.servers import SYSWATCH
from tests.system.shell import run

LOG = samples.LOGS / "waits.log"
LINE = b'7 1700000000.000001 read(3, "x", 1) = 1 <0.000010>\n'


def stats(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `syswatch stats`."""
    return run([*SYSWATCH, "stats", *map(str, arguments)], **options)


class StatsTestCase(SynchronousTestCase):
    """A test of `syswatch stats` with files of its own."""

    def setUp(self) -> None:
        """Create a folder."""
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def file(self, name: str, content: bytes) -> Path:
        """Write a file."""
        path = self.folder / name
        path.write_bytes(content)
        return path.absolute()

    def assert_well(self, result: subprocess.CompletedProcess[str]) -> str:
        """Check that it succeeded without messages; return its output."""
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        return result.stdout

    def assert_refused(self, status: int, *words: str, command: Sequence[str]) -> None:
        """Check the exit status, and that the error is one line with a given text."""
        result = run(command)

        self.assertEqual("", result.stdout, command)
        self.assertEqual(1, result.stderr.count("\n"), result.stderr)
        self.assertTrue(result.stderr.startswith("syswatch: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(status, result.returncode, result.stderr)
