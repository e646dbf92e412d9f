"""Tests of reading what is compared on the workers of a cluster."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.sources import SourceError, read, read_all, several
from syswatch.comparison.sources.evidence import read_all_evidence, read_evidence
from tests import samples
from tests.recording import samples as recordings
from tests.tracer.cluster.workers import two_workers

LOGS = sorted(map(str, samples.LOGS.glob("*.log")))


class ClusterTests(SynchronousTestCase):
    """Runs and evidence are those that one process reads."""

    def setUp(self) -> None:
        """Make a recording."""
        self.scheduler: str = two_workers().scheduler_address
        self.recording = str(recordings.write(Path(self.mktemp())))

    def test_runs(self) -> None:
        """Logs and recordings, of which one may be compared with itself."""
        self.patch(several, "_LARGE_BYTES", 1)
        self.patch(os, "cpu_count", lambda: 2)
        sources = [*LOGS[:3], self.recording, LOGS[0]]

        runs = read_all(sources, scheduler=self.scheduler)

        self.assertEqual([read(each, workers=1) for each in sources], runs)

    def test_large_log(self) -> None:
        """A single log that is worth dividing is read as this machine would divide it."""
        large = Path(self.mktemp())
        lines = (b"%d close(%d) = 0\n" % (at // 100 + 1, at) for at in range(300_000))
        large.write_bytes(b"".join(lines))
        self.patch(os, "cpu_count", lambda: 2)
        sources = [LOGS[0], str(large)]

        self.assertEqual(read_all(sources), read_all(sources, scheduler=self.scheduler))

    def test_errors(self) -> None:
        """The first source that cannot be read is named."""
        with self.assertRaisesRegex(SourceError, "^/nonexistent: no such file"):
            read_all([LOGS[0], "/nonexistent"], scheduler=self.scheduler)
        with self.assertRaisesRegex(SourceError, "cannot connect to the Dask scheduler"):
            read_all([LOGS[0]], scheduler="tcp://127.0.0.1:9")

    def test_evidence(self) -> None:
        """Evidence of logs is that of one process, in their order."""
        found = list(read_all_evidence(LOGS[:2], scheduler=self.scheduler))

        self.assertEqual([read_evidence(each) for each in LOGS[:2]], found)
        with self.assertRaisesRegex(SourceError, "^/nonexistent: no such file"):
            read_all_evidence([LOGS[0], "/nonexistent"], scheduler=self.scheduler)
