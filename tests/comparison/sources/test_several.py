"""Tests of reading several sources at the same time."""

import os
import signal
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.run import Run
from syswatch.comparison.sources import SourceError, processes, read, several
from syswatch.settings.access import Token
from tests.recording import samples
from tests.system.servers import LOG


class SeveralTests(SynchronousTestCase):
    """Large sources, which processes of their own read."""

    def setUp(self) -> None:
        """Take all sources for large ones."""
        self.patch(several, "_LARGE_BYTES", 1)
        self.patch(os, "cpu_count", lambda: 2)
        self.recording = str(samples.write(Path(self.mktemp())))

    def test_same(self) -> None:
        """The runs are those that one process reads, in the order of the sources."""
        sources = [str(LOG), self.recording, str(LOG)]
        expected = [read(each, workers=1) for each in sources]
        self.assertEqual(expected, several.read_all(sources))

    def test_error(self) -> None:
        """An error in a process is that of its source."""
        bad = Path(self.mktemp())
        bad.write_text("hello\n")
        with self.assertRaisesRegex(SourceError, f"^no system calls in {bad}: "):
            several.read_all([str(LOG), str(bad), self.recording])

    def test_killed(self) -> None:
        """If a process is killed, an error says which source it read."""

        def die(source: str, token: Token | None, *, workers: int) -> Run:
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError(source, token, workers)

        self.patch(processes, "read", die)
        with self.assertRaisesRegex(SourceError, ": the process that read it was killed$"):
            several.read_all([str(LOG), self.recording])

    def test_apart(self) -> None:
        """All can be read by other processes, and of a missing one is said so before."""
        sources = [str(LOG), self.recording]
        expected = [read(each) for each in sources]
        self.patch(several, "_LARGE_BYTES", 1 << 40)
        self.assertEqual(expected, several.read_apart(sources))
        with self.assertRaisesRegex(SourceError, "^/nonexistent: no such file"):
            several.read_apart([self.recording, "/nonexistent"])

    def test_shares(self) -> None:
        """The largest source has a process for itself, if it is as large as all others."""
        self.assertEqual([[2], [0, 1, 3]], several._shares({0: 2, 1: 2, 2: 6, 3: 2}, 2))
