"""Tests of the summary for people, and of those for programs."""

import csv
import io
import json

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.process import ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.views.formats import FORMATS, Presentation
from syswatch.views.summary import summary
from syswatch.views.text_table import coloured, plain

from .snapshots import snapshot_of

_OPENAT = CallTally(
    count=1200,
    errors=900,
    total_ns=30_000_000,
    min_ns=10_000,
    max_ns=40_000,
    histogram=Histogram({233: 600, 248: 600}),
    errnos={"ENOENT": 800, "EACCES": 100},
)
_CLOSE = CallTally(count=300)
_DELTA = Delta(calls={"openat": _OPENAT, "close": _CLOSE}, span=Span(10**18, 10**18 + 83 * 10**9))
_TABLE = """\
1,500 calls (2 distinct) in 1m23s · 900 failed (60 %) · 30 ms in calls

CALL    CATEGORY  CALLS  ERRORS  TOTAL  TIME%    AVG    P95    P99    MAX  TOP ERRNO
openat  FS        1,200     900  30 ms  100 %  25 µs  40 µs  40 µs  40 µs  ENOENT
close   I/O         300       -      -      -      -      -      -      -  -
"""


class SummaryTests(SynchronousTestCase):
    """A table for people."""

    def test_table(self) -> None:
        """Columns are aligned, times have units, missing values are dashes."""
        self.assertEqual(_TABLE, summary(snapshot_of(_DELTA), plain))

    def test_narrow(self) -> None:
        """On a narrow terminal there are fewer columns, and no line wraps, coloured or not."""
        for width, titles in (
            (84, "CALL CATEGORY CALLS ERRORS TOTAL TIME% AVG P95 P99 MAX TOP ERRNO"),
            (83, "CALL CATEGORY CALLS ERRORS TOTAL TIME% AVG P99 MAX TOP ERRNO"),
            (60, "CALL CALLS ERRORS TOTAL AVG MAX TOP ERRNO"),
            (20, "CALL CALLS ERRORS TOTAL TOP ERRNO"),
        ):
            lines = summary(snapshot_of(_DELTA), plain, width=width).splitlines()[2:]
            self.assertEqual(titles.split(), lines[0].split())
            self.assertTrue(all(len(line) <= max(width, 45) for line in lines), lines)
            painted = summary(snapshot_of(_DELTA), coloured, width=width)
            self.assertNotRegex(painted, r" (\x1b\[0m)?\n")

    def test_colours(self) -> None:
        """Colours change no character, and mark what mostly fails."""
        view = snapshot_of(_DELTA)

        painted = summary(view, coloured)

        self.assertIn("\x1b[31m", painted)
        for code in ("1", "2", "31", "33", "0"):
            painted = painted.replace(f"\x1b[{code}m", "")
        self.assertEqual(
            [line.split() for line in summary(view, plain).splitlines()],
            [line.split() for line in painted.splitlines()],
        )

    def test_not_exact(self) -> None:
        """What is not exact is below the table; unparsed lines only if requested."""
        delta = attrs.evolve(
            _DELTA, ledger=Ledger(unparsed_lines=2), odd_lines=("Hello\\x1b", "what?")
        )

        text = summary(snapshot_of(delta), plain, odd_lines=True)

        self.assertIn("not exact: 2 log lines that are not known", text)
        self.assertIn("  not understood: Hello\\x1b\n", text)
        self.assertNotIn("not understood", summary(snapshot_of(delta), plain))
        noted = attrs.evolve(_DELTA, ledger=Ledger(untimed_calls=1))
        self.assertIn("note: 1 call counted without", summary(snapshot_of(noted), plain))
        broken = attrs.evolve(snapshot_of(_DELTA), trouble="the tracer process is gone")
        self.assertIn("\n\ncut short: the tracer process is gone\n", summary(broken, plain))

    def test_processes_apart(self) -> None:
        """Each process has a table of its own, if those are kept."""
        delta = attrs.evolve(
            _DELTA,
            by_process={8: {"close": _CLOSE}, 7: {"openat": _OPENAT}},
            processes={7: ProcessTally(comm="cat"), 8: ProcessTally()},
        )

        text = summary(snapshot_of(delta), plain)

        self.assertLess(text.index("\n\nprocess 7 cat\nCALL "), text.index("\n\nprocess 8\nCALL "))

    def test_nothing(self) -> None:
        """A summary of nothing is no error."""
        self.assertIn("no system calls", summary(snapshot_of(Delta()), plain))


def _written(name: str, snapshot: Snapshot) -> str:
    """Return a snapshot in a format."""
    return FORMATS[name].write(snapshot, Presentation())


class FormatTests(SynchronousTestCase):
    """Tables for programs."""

    def test_json(self) -> None:
        """One object has all the answers of the API."""
        found = json.loads(_written("json", snapshot_of(_DELTA)))

        self.assertEqual(
            ["Status", "Stats", "Categories", "Files", "Processes", "Fidelity"], list(found)
        )
        self.assertEqual(["openat", "close"], [row["Name"] for row in found["Stats"]])

    def test_json_lines(self) -> None:
        """Each line is the JSON of one system call."""
        rows = [json.loads(line) for line in _written("ndjson", snapshot_of(_DELTA)).splitlines()]

        self.assertEqual(["openat", "close"], [row["Name"] for row in rows])

    def test_csv(self) -> None:
        """Each row is one system call, below a row of titles."""
        openat, close = csv.DictReader(io.StringIO(_written("csv", snapshot_of(_DELTA))))

        self.assertEqual(
            ("openat", "1200", "900"), (openat["Name"], openat["Count"], openat["Errors"])
        )
        self.assertEqual(("25000", "ENOENT"), (openat["AvgTime"], openat["TopErrno"]))
        self.assertEqual(("close", "0", ""), (close["Name"], close["AvgTime"], close["TopErrno"]))

    def test_nothing(self) -> None:
        """An export of nothing is no error, and ends its last line."""
        for name in FORMATS:
            text = _written(name, snapshot_of(Delta()))

            self.assertTrue(text.endswith("\n") or name == "ndjson")
