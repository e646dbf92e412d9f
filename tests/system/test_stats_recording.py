"""Tests of recordings that `syswatch stats` makes of logs, as users type it."""

import gzip
import os
import re
from pathlib import Path
from typing import Any

from syswatch.recording import manifest
from syswatch.recording.extra import load
from syswatch.tracer.stracelog.log_clock import local_midnight
from tests import samples
from tests.system.servers import SYSWATCH
from tests.system.shell import run
from tests.system.stats_case import LINE, LOG, StatsTestCase, stats

NOON_S = local_midnight(1_700_000_000) + 12 * 3600


def _without_recordings(printed: str) -> str:
    """Leave out of a summary as JSON what was recorded."""
    return re.sub(r',"Recordings":\[.*?\}\]', "", printed)


class RecordingTests(StatsTestCase):
    """`stats --record DIR LOG`."""

    def recorded(self, *arguments: str | Path) -> tuple[str, Path]:
        """Make a recording; return what is printed, and the directory."""
        folder = self.folder / "recording"
        result = stats("--record", folder, *arguments)
        self.assertEqual(0, result.returncode, result.stderr)
        calls = r"[\d,]+ calls?( and [\d,]+ that ha(s|ve) not returned)?"
        self.assertRegex(result.stderr, rf"\Asyswatch: recording {folder}: {calls}, .*\n\Z")
        return result.stdout, folder

    def test_same_summary(self) -> None:
        """The summary is that without a recording, and that of the recording."""
        for name, form in (("threads.log", "text"), ("waits.log", "json")):
            log = samples.LOGS / name
            expected = self.assert_well(stats("--format", form, log))
            printed, folder = self.recorded("--format", form, log)
            self.assertEqual(expected, _without_recordings(printed))
            self.assertEqual(expected, self.assert_well(stats("--format", form, folder)))
            run(["rm", "-r", str(folder)])

    def test_table(self) -> None:
        """Any program that reads Parquet counts the calls that strace has counted."""
        _, folder = self.recorded(LOG)
        table = load("pyarrow.parquet").read_table(folder / "calls")
        names = [
            name
            for name, result in zip(table["name"], table["result"], strict=True)
            if result.is_valid
        ]
        counts = {name: names.count(name) for name in {*names}}
        expected = {name: row.calls for name, row in samples.table(LOG.read_bytes()).items()}
        self.assertEqual(expected, {name.as_py(): count for name, count in counts.items()})
        self.assertEqual((str(LOG),), manifest.read(folder).logs)

    def test_export(self) -> None:
        """The export has the calls of the log with their arguments."""
        _, folder = self.recorded(self.file("log", LINE))
        exported = run([*SYSWATCH, "export", str(folder), "--to", "strace"])
        line = re.sub(rb" +", b" ", exported.stdout.encode())
        self.assertEqual(LINE.replace(b"<0.000010>", b"<0.000010000>"), line)

    def calls(self, folder: Path) -> list[dict[str, Any]]:
        """Return the recorded calls, from as many segments as there was time to write."""
        read = load("pyarrow.parquet").read_table
        segments = sorted((folder / "calls").iterdir())
        return [call for each in segments for call in read(each).to_pylist()]

    def test_all_ways_in(self) -> None:
        """A compressed log is recorded like a plain one."""
        log = self.file("log", LOG.read_bytes())
        packed = self.file("log.gz", gzip.compress(LOG.read_bytes()))
        # A log of times of day has the date of its file, and that file is later than the log.
        for each in (log, packed):
            os.utime(each, (NOON_S, NOON_S))
        plain, folder = self.recorded(log)
        calls = self.calls(folder)
        run(["rm", "-r", str(folder)])
        self.assertEqual(plain, self.recorded(packed)[0])
        self.assertEqual(calls, self.calls(folder))

    def test_secrets(self) -> None:
        """What is masked does not reach the disk, anywhere."""
        log = self.file("log", LINE.replace(b'"x"', b'"passphrase"') * 3)
        _, folder = self.recorded("--redact", "passphrase", log)
        tables = [load("pyarrow.parquet").read_table(file) for file in folder.rglob("*.parquet")]
        self.assertNotIn("passphrase", "".join(map(str, (each.to_pydict() for each in tables))))
        self.assertNotIn(b"passphrase", (folder / "deltas").read_bytes())
        self.assertEqual(0, folder.stat().st_mode & 0o077)

    def test_refused(self) -> None:
        """A recording is not a log, and an existing recording is not replaced."""
        _, folder = self.recorded(LOG)
        command = [*SYSWATCH, "stats", "--record"]
        other = self.folder / "other"
        for recording in (folder, folder / "deltas"):
            self.assert_refused(2, "of logs", command=[*command, str(other), str(recording)])
            self.assertFalse(other.exists())
        self.assert_refused(2, "already", command=[*command, str(folder), str(LOG)])

    def test_full_disk(self) -> None:
        """If nothing can be written, the summary is printed nevertheless."""
        folder = self.folder / "recording"
        limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *SYSWATCH, "stats", "--record"]
        log = samples.LOGS.parents[1] / "examples/git-clone.log"
        result = run([*limited, str(folder), str(log)])
        self.assertEqual(self.assert_well(stats(log)), result.stdout)
        self.assertEqual(1, result.returncode)
        self.assertEqual(
            1, len(re.findall("has stopped: File too large", result.stderr)), result.stderr
        )
