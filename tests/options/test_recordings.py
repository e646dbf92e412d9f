"""Tests of recordings on the command line."""

from pathlib import Path
from typing import cast

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.event_frames import Loss
from syswatch.codec.recording import DELTAS
from syswatch.model.messages import Ended, ReadLogs
from syswatch.recording import extra, manifest
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

    def test_stopped_early(self) -> None:
        """Why recording stopped is said; that it is cut short is known when it has been read."""
        folder = samples.write(Path(self.mktemp()), end=None)
        about = manifest.read(folder)
        manifest.write(folder, attrs.evolve(about, trouble="No space left on device"))
        self.assertEqual(
            (f"{folder}: recording stopped early: No space left on device",),
            config_of("stats", "--tui", "never", str(folder)).notes[-1:],
        )

    def test_other_directories(self) -> None:
        """A directory that is not a recording is refused."""
        folder = Path(self.mktemp())
        folder.mkdir()
        self.assertEqual(
            f"{folder}: it is a directory without a recording: it has no manifest",
            error_of("stats", str(folder)),
        )
        (folder / "manifest.json").write_text('{"format": "syswatch recording", "version": 7}')
        self.assertEqual(
            f"{folder}: it has format version 7, and this syswatch reads version 2",
            error_of("stats", str(folder)),
        )

    def test_no_deltas(self) -> None:
        """Without deltas, that is all that is said: there are no sums to show."""
        folder = samples.write(Path(self.mktemp()))
        (folder / DELTAS).unlink()
        for command in ("stats", "replay"):
            self.assertEqual(
                f"{folder}: it is a directory without a recording: it has no deltas",
                error_of(command, str(folder)),
            )


class ReplayTests(SynchronousTestCase):
    """`replay`."""

    def test_config(self) -> None:
        """The recording is read as by `stats`, and its ranges are known."""
        folder = str(samples.write(Path(self.mktemp()), end=Ended(3)))
        config = config_of("replay", "--serve", ":0", folder)
        self.assertEqual((folder, (folder,)), (config.replay, cast("ReadLogs", config.job).files))
        self.assertEqual(f"{folder}: cat /etc/hosts exited with 3", config.notes[-1])
        self.assertFalse(config.reporting.summary)

    def test_mistakes(self) -> None:
        """Each mistake is one sentence."""
        folder = str(samples.write(Path(self.mktemp())))
        for words, error in (
            ((), "replay: missing DIR, as in 'syswatch replay recording'"),
            (
                (folder, folder),
                "replay takes a single recording ('syswatch stats' combines several)",
            ),
            ((str(LOG),), f"{LOG}: it is a file, not a recording of every call; try stats"),
            (("missing",), "missing: no such directory"),
        ):
            self.assertEqual(error, error_of("replay", *words))

    def test_packages(self) -> None:
        """Without the extra, it is said how to install it."""
        folder = str(samples.write(Path(self.mktemp())))
        self.patch(extra, "find_spec", lambda _: None)
        self.assertEqual(
            "recordings need the package numpy: pip install 'syswatch[record]'",
            error_of("replay", "--serve", ":0", folder),
        )
