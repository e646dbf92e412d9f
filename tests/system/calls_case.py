"""Tests of `--calls` that are run with each backend."""

import csv
import io
import json
from pathlib import Path
from typing import ClassVar

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import SYSWATCH
from tests.system.shell import run
from tests.tracer.strace import require_tracing

SCRIPT = "dd if=/dev/zero of=/dev/null bs=1 count=300 2>&1; ls /absent 2>&1; exit 3"
# What the summary and a log of the same calls must agree in.
_EXACT = ("Name", "Count", "Errors", "TotalTime", "MinTime", "MaxTime")


class CallsCase(SynchronousTestCase):
    """Tests with each backend, named by the subclass."""

    backend: ClassVar[str]

    def setUp(self) -> None:
        """Skip the test if this backend does not work here; create a directory."""
        self.require()
        require_tracing()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def require(self) -> None:
        """Skip the test if this backend does not work here."""

    def words(self, *options: str) -> list[str]:
        """Return the beginning of a command line."""
        return [*SYSWATCH, "run", "--backend", self.backend, *options, "--"]

    def test_as_strace(self) -> None:
        """There are as many lines as with strace, and the same ends."""
        command = ("sh", "-c", SCRIPT)
        theirs, ours = self.folder / "theirs", self.folder / "ours"
        run(["strace", "-f", "-qq", "-e", "signal=none", "-o", str(theirs), *command])
        result = run([*self.words("-f", "-ttt", "-T", "-o", str(ours)), *command])
        self.assertEqual(3, result.returncode)
        self.assertIn("300 bytes", result.stdout)
        self.assertEqual(
            sum("resumed>" not in line for line in theirs.read_text().splitlines()),
            sum("+++" not in line for line in ours.read_text().splitlines()),
        )
        endings = [line.split("+++")[1] for line in ours.read_text().splitlines() if "+++" in line]
        self.assertEqual([" exited with 0 ", " exited with 2 ", " exited with 3 "], sorted(endings))
        self.assertEqual(0o600, ours.stat().st_mode & 0o777)

    def test_stats(self) -> None:
        """A summary of the lines has the same counts, errors and times."""
        calls, summary = self.folder / "calls", self.folder / "summary"
        words = self.words("--calls", str(calls), "--format", "csv", "-o", str(summary))
        self.assertEqual(3, run([*words, "sh", "-c", SCRIPT]).returncode)
        result = run([*SYSWATCH, "stats", "--format", "csv", str(calls)])
        self.assertEqual(_rows(summary.read_text()), _rows(result.stdout))

    def test_json(self) -> None:
        """Lines of JSON have the same calls."""
        calls, summary = self.folder / "calls", self.folder / "summary"
        options = ("--calls", str(calls), "--calls-format", "ndjson", "--format", "csv")
        words = self.words(*options, "--output", str(summary))
        self.assertEqual(3, run([*words, "sh", "-c", SCRIPT]).returncode)
        records = [json.loads(line) for line in calls.read_text().splitlines()]
        returned = [each for each in records if each["type"] == "call" and each["ret"] is not None]
        rows = csv.DictReader(io.StringIO(summary.read_text()))
        self.assertEqual(sum(int(row["Count"]) for row in rows), len(returned))
        self.assertEqual(3, sum(each["type"] == "end" for each in records))

    def test_hidden(self) -> None:
        """Arguments are shown as the options for them say."""
        for options, shown in (
            (("--no-args",), "execve(...)"),
            (("--redact", "secret"), '"[redacted]"'),
        ):
            result = run([*self.words("--calls", "-", *options), "true", "secret"])
            self.assertIn(shown, result.stdout.splitlines()[0])
            self.assertNotIn("secret", result.stdout)


def _rows(text: str) -> list[tuple[str, ...]]:
    rows = csv.DictReader(io.StringIO(text))
    return [tuple(row[key] for key in _EXACT) for row in rows]
