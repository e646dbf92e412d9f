"""Tests that a recording, queries of it and an export tell the same as the summary of the trace."""

import json
from pathlib import Path

from twisted.trial.unittest import TestCase

from tests.system.servers import SYSWATCH
from tests.system.shell import run
from tests.tracer.ebpf.case import require_ebpf

_PROGRAM = ("sh", "-c", "ls /nonexistent; cat /etc/hosts | wc -l; exit 3")
_SQL = "SELECT name, count(*) AS n, sum(errors) AS e, sum(duration) AS t FROM calls GROUP BY name"
Sums = dict[str, tuple[int, int, int]]


class RecordedCallsTests(TestCase):
    """Sums by call: how many, how many failed, and their time."""

    def test_same(self) -> None:
        """They are the same in the summary, in the recording, and in the export read again."""
        require_ebpf()
        folder, log = Path(self.mktemp()), Path(self.mktemp())
        summary = Path(self.mktemp())
        words = ("--format", "json", "--output", str(summary), "--backend", "ebpf")
        traced = run([*SYSWATCH, "run", *words, "--record", str(folder), *_PROGRAM])
        self.assertEqual(3, traced.returncode, traced.stderr)
        expected = _sums(summary.read_text())

        rows = run([*SYSWATCH, "query", str(folder), _SQL, "--format", "json"]).stdout
        self.assertEqual(
            expected, {row["name"]: (row["n"], row["e"], row["t"]) for row in json.loads(rows)}
        )
        exported = run([*SYSWATCH, "export", str(folder), "--to", "strace", "-o", str(log)])
        self.assertEqual("", exported.stderr)
        again = run([*SYSWATCH, "stats", "--format", "json", str(log)])
        self.assertEqual(expected, _sums(again.stdout))


def _sums(summary: str) -> Sums:
    return {
        each["Name"]: (each["Count"], each["Errors"], each["TotalTime"])
        for each in json.loads(summary)["Stats"]
    }
