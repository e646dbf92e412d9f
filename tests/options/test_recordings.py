"""Tests of recordings on the command line."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.events import Loss
from syswatch.model.messages import Ended
from tests.options.parsing import config_of, error_of
from tests.recording import samples
from tests.system.servers import LOG


class StatsTests(SynchronousTestCase):
    """Directories as operands of `stats`."""

    def test_notes(self) -> None:
        """Calls that are missing come first, then the ending; a log says nothing."""
        losses = [Loss(7, 1_700_000_000, 5)]
        folder = samples.write(Path(self.mktemp()), losses=losses, end=Ended(3))
        lost, ending = config_of("stats", "--tui", "never", str(LOG), str(folder)).notes[-2:]
        self.assertTrue(lost.startswith(f"{folder}: 5 calls are missing from the recording"), lost)
        self.assertEqual(f"{folder}: cat /etc/hosts exited with 3", ending)

    def test_other_directories(self) -> None:
        """A directory that is not a recording is refused."""
        folder = Path(self.mktemp())
        folder.mkdir()
        self.assertEqual(
            f"{folder}: it is not a recording: it has no manifest", error_of("stats", str(folder))
        )
        (folder / "manifest.json").write_text('{"format": "syswatch recording", "version": 7}')
        self.assertEqual(
            f"{folder}: it has format version 7, and this syswatch reads version 2",
            error_of("stats", str(folder)),
        )
