"""Tests of the summary for people, and of those for programs."""

import csv
import io
import json

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.cells import cells
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.preferences import Preferences, ShareOf
from syswatch.model.process import ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.views.formats import FORMATS, Presentation
from syswatch.views.forms import CallSort
from syswatch.views.summary import summary
from syswatch.views.text_table import coloured, plain

from .budget.worlds import DATABASE, EPOLL, MS, WAL, Did, S, Thread, delta_of, world
from .budget.worlds import snapshot_of as snapshot_of_threads
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
83 s: about 100 % outside of calls
UUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUU
U own code >99 %  W in calls <1 %

1,500 calls (2 distinct) in 1m23s · 900 failed (60 %) · 30 ms in calls

CALL    CATEGORY  CALLS  ERRORS  TOTAL  ~WAITING  TIME%    AVG    P95    P99    MAX  TOP ERRNO
openat  FS        1,200     900  30 ms         -  100 %  25 µs  40 µs  40 µs  40 µs  ENOENT
close   I/O         300       -      -         -      -      -      -      -      -  -

note: estimated from the durations of calls, since waits and objects were not recorded \
(a trace without --no-objects records them)
"""
_QUERY = Thread(
    [
        Did("recvfrom", DATABASE, waiting=3 * S, waits=30, bytes_in=90_000),
        Did("fsync", WAL, waiting=800 * MS, waits=9),
        Did("write", WAL, working=60 * MS, waits=90, bytes_out=900_000, errors=3),
        Did("epoll_wait", EPOLL, waiting=5 * S, waits=300),
    ],
    user=300 * MS,
)
_TIME = """\
9.2 s, busy 4.2 s: 91 % waiting, 3 s of it for 10.0.0.5:5432 (TCP, postgresql),
  0.8 s in fsync of /var/lib/app/db.wal; idle 5 s: main poll of an event loop
BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBUUUUUUW
B blocked 91 %  U own code 7 %  W in calls 1 %  (without 5 s idle)

429 calls (4 distinct) in 9.16 s · 3 failed (0.7 %) · 8.86 s in calls

CALL        CALLS  ERRORS   TOTAL  WAITING      AVG      MAX  TOP ERRNO
recvfrom       30       -     3 s      3 s   100 ms   100 ms  -
fsync           9       -  800 ms   800 ms  88.9 ms  88.9 ms  -
write          90       3   60 ms        -   667 µs   667 µs  -
epoll_wait    300       -     5 s      5 s  16.7 ms  16.7 ms  -

WAITING   TOTAL  CALLS      READ  WRITTEN  MOSTLY IN   OBJECT
    3 s     3 s     30  87.9 KiB        -  recvfrom    10.0.0.5:5432 (TCP, post…
 800 ms  860 ms     99         -  879 KiB  fsync       /var/lib/app/db.wal
    5 s     5 s    300         -        -  epoll_wait  epoll 8 of nginx (1)
"""


class SummaryTests(SynchronousTestCase):
    """A table for people."""

    def test_table(self) -> None:
        """Columns are aligned, times have units, missing values are dashes."""
        self.assertEqual(_TABLE, summary(snapshot_of(_DELTA), plain))

    def test_time(self) -> None:
        """Where the time went comes first, and idle calls last; 80 columns keep what matters."""
        text = summary(world(_QUERY), plain, width=80)

        self.assertEqual(_TIME, text)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))

    def test_sorting(self) -> None:
        """Calls are sorted as requested."""
        for sort, expected in (
            (CallSort.CALLS, "epoll_wait write recvfrom fsync"),
            (CallSort.ERRORS, "write epoll_wait recvfrom fsync"),
            (CallSort.WAITING, "epoll_wait recvfrom fsync write"),
            (CallSort.BYTES, "write recvfrom epoll_wait fsync"),
            (CallSort.NAME, "epoll_wait fsync recvfrom write"),
        ):
            lines = summary(world(_QUERY), plain, sort=sort).splitlines()[7:11]
            self.assertEqual(expected.split(), [line.split()[0] for line in lines], sort)

    def test_shares(self) -> None:
        """The bar is of the time that people prefer."""
        text = summary(
            snapshot_of_threads(delta_of(_QUERY), preferences=Preferences(ShareOf.WALL)), plain
        )

        self.assertIn("I idle 55 %", text.splitlines()[2])
        self.assertIn("I" * 40, text.splitlines()[1])

    def test_estimated(self) -> None:
        """A tilde marks what is estimated: shares, and times waiting."""
        delta = attrs.evolve(delta_of(_QUERY), ledger=Ledger(estimated_waits=3))

        lines = summary(snapshot_of_threads(delta), plain, width=80).splitlines()

        [legend] = [line for line in lines if line.startswith("B blocked")]
        self.assertEqual(
            "B blocked ~91 %  U own code ~7 %  W in calls ~1 %  (without ~5 s idle)", legend
        )
        titles = [line.split() for line in lines if "TOTAL" in line]
        self.assertEqual(2, len(titles))
        for each in titles:
            self.assertIn("~WAITING", each)
            self.assertIn("TOTAL", each)

    def test_in_progress(self) -> None:
        """A call that has never returned has a row."""
        blocked = Thread([Did("recvfrom", DATABASE, current=16 * S)], user=2 * MS)

        lines = summary(world(blocked), plain).splitlines()

        self.assertIn("still waiting 16 s for 10.0.0.5:5432", lines[0])
        [row] = [line.split() for line in lines if line.startswith("recvfrom")]
        self.assertEqual(["recvfrom", "NET", "0", "-", "16", "s", "16", "s"], row[:8])

    def test_narrow(self) -> None:
        """On a narrow terminal there are fewer columns, and no line wraps, coloured or not."""
        for width, titles in (
            (94, "CALL CATEGORY CALLS ERRORS TOTAL ~WAITING TIME% AVG P95 P99 MAX TOP ERRNO"),
            (93, "CALL CATEGORY CALLS ERRORS TOTAL ~WAITING TIME% AVG P99 MAX TOP ERRNO"),
            (60, "CALL CALLS ERRORS TOTAL ~WAITING AVG TOP ERRNO"),
            (20, "CALL CALLS ERRORS TOTAL ~WAITING"),
        ):
            lines = summary(snapshot_of(_DELTA), plain, width=width).splitlines()[6:9]
            self.assertEqual(titles.split(), lines[0].split())
            self.assertTrue(all(len(line) <= max(width, 45) for line in lines), lines)
            painted = summary(snapshot_of(_DELTA), coloured, width=width)
            self.assertNotRegex(painted, r" (\x1b\[0m)?\n")

    def test_wide_characters(self) -> None:
        """Names with characters of two columns, or of none, neither wrap nor shift a table."""
        names = ("/srv/" + "日本語のとても長い名前/" * 9 + "e\u0301" * 5, "/srv/😀", "/srv/plain")
        did = [
            Did("fsync", ObjectInfo(ObjectKind.FILE, name), waiting=S + at)
            for at, name in enumerate(names)
        ]
        for width in (60, 80, 120):
            lines = summary(world(Thread(did)), plain, width=width).splitlines()
            table = lines[next(at for at, line in enumerate(lines) if line.endswith("OBJECT")) :]
            self.assertEqual([], [line for line in lines if cells(line) > width])
            self.assertTrue(any("名前" in line for line in table), table)
        self.assertEqual(1, len({cells(line[: line.index("fsync")]) for line in table[1:4]}))

    def test_colours(self) -> None:
        """Colours change no character, and mark what mostly fails."""
        view = snapshot_of(_DELTA)

        painted = summary(view, coloured)

        self.assertIn("\x1b[31m", painted)
        for code in ("1", "2", "31", "33", "97;44", "30;42", "0"):
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
        self.assertIn("\n\nstopped early: the tracer process is gone\n", summary(broken, plain))

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
            [
                *("Status", "Stats", "Categories", "Files", "Processes", "Fidelity"),
                *("Time", "Objects", "Threads", "Slowest", "ElapsedTime"),
            ],
            list(found),
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
