"""Tests of the records of the API: every key, and its value."""

import json
from typing import Any

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger, Reading
from syswatch.model.messages import Ended, Started
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.model.window import SecondTotals, Window
from syswatch.views import record_builders
from syswatch.views.records import encode
from tests.strategies import deltas

from .budget.worlds import DATABASE, Did, S, Thread, world

_S = 10**9
_NOW_S = 1_700_000_000
_STAT_KEYS = {
    *("Name", "Category", "Count", "Errors", "TotalTime", "MinTime", "MaxTime"),
    *("P95", "P99", "ErrRate60s"),
    *("Working", "Waiting", "Blocked", "Idle", "Ready", "Waits", "InProgress"),
}
_OPENAT = CallTally(
    count=4,
    errors=3,
    total_ns=100_000,
    min_ns=10_000,
    max_ns=40_000,
    histogram=Histogram.of([10_000, 20_000, 30_000, 40_000]),
    errnos={"EACCES": 1, "ENOENT": 2},
)
_DELTA = Delta(
    calls={"openat": _OPENAT, "close": CallTally(count=4), "mystery": CallTally(count=9)},
    processes={7: ProcessTally(3, "cat", 17, 3, 100_000, "exited with 0")},
    paths={"/b": 2, "/a": 2, "/c": 3},
    failed_paths={"/a": 2, "/c": 1},
    failures={"openat": (Failure(_NOW_S * _S + 1, 7, "ENOENT", 'AT_FDCWD, "/nope"'),)},
    log=(
        LogEntry(_NOW_S * _S + 1, 7, "openat", 'AT_FDCWD, "/nope"', "-1", "ENOENT"),
        LogEntry(None, 7, "close", "3", "0", ""),
    ),
    window=Window(
        {
            _NOW_S - 2: {"openat": SecondTotals(3, 3, 60_000), "close": SecondTotals(1)},
            _NOW_S: {"openat": SecondTotals(1, 0, 40_000)},
        }
    ),
    span=Span((_NOW_S - 83) * _S, _NOW_S * _S),
    reading=Reading(50, 20, 17, 2, 1),
)


def snapshot(delta: Delta = _DELTA, *, done: bool = False) -> Snapshot:
    """Return a snapshot of a log that is half read."""
    aggregator = Aggregator()
    process = ProcessInfo(7, "cat", "cat /nope", "/usr/bin/cat", "/srv")
    aggregator.started(Started("strace log", process, total_bytes=100))
    aggregator.add(delta)
    if done:
        aggregator.ended(Ended(exit_code=1))
    return aggregator.snapshot()


def decoded(record: object) -> Any:
    """Return the response as a client decodes it."""
    return json.loads(encode(record))


class StatTests(SynchronousTestCase):
    """The table of system calls."""

    def test_order(self) -> None:
        """The commonest is first, and equals are sorted by name."""
        names = [row["Name"] for row in decoded(record_builders.stats(snapshot()))]

        self.assertEqual(["mystery", "close", "openat"], names)

    def test_keys(self) -> None:
        """Every row has the keys of the specification; the breakdown only where calls failed."""
        _, close, openat = decoded(record_builders.stats(snapshot()))

        self.assertEqual(_STAT_KEYS, set(close))
        self.assertEqual(_STAT_KEYS | {"ErrorBreakdown"}, set(openat))
        self.assertEqual({"ENOENT": 2, "EACCES": 1}, openat["ErrorBreakdown"])
        self.assertEqual(["ENOENT", "EACCES"], list(openat["ErrorBreakdown"]))

    def test_values(self) -> None:
        """Counts are counts, times are whole nanoseconds, categories have their labels."""
        mystery, close, openat = decoded(record_builders.stats(snapshot()))

        self.assertEqual((4, 3, 100_000), (openat["Count"], openat["Errors"], openat["TotalTime"]))
        self.assertEqual((10_000, 40_000), (openat["MinTime"], openat["MaxTime"]))
        self.assertTrue(10_000 <= openat["P95"] <= openat["P99"] <= 40_000)
        self.assertEqual(3, openat["ErrRate60s"])
        self.assertEqual(("I/O", "OTHER"), (close["Category"], mystery["Category"]))
        # Nothing was measured.
        self.assertEqual(
            (0, 0, 0, 0), tuple(close[key] for key in ("MinTime", "MaxTime", "P95", "P99"))
        )

    def test_detail(self) -> None:
        """The detail has all of a row, and more; samples only where there are any."""
        view = snapshot()
        openat, close = view.call("openat"), view.call("close")
        assert openat is not None
        assert close is not None
        failing = decoded(record_builders.syscall_detail(view, openat))
        faultless = decoded(record_builders.syscall_detail(view, close))

        more = {"AvgTime", "P50", "ErrPct", "Histogram", "Reference"}
        self.assertEqual(_STAT_KEYS | more, set(faultless))
        self.assertEqual(_STAT_KEYS | more | {"ErrorBreakdown", "RecentErrors"}, set(failing))
        self.assertEqual((25_000, 75.0), (failing["AvgTime"], failing["ErrPct"]))
        self.assertEqual(4, sum(bar["count"] for bar in failing["Histogram"]))
        self.assertEqual({"le", "count"}, set(failing["Histogram"][0]))
        (sample,) = failing["RecentErrors"]
        self.assertEqual({"Time", "PID", "Errno", "Args"}, set(sample))
        self.assertEqual(("ENOENT", 7), (sample["Errno"], sample["PID"]))

    def test_reference(self) -> None:
        """The reference has the documentation, or empty texts for an unknown call."""
        view = snapshot()
        openat, mystery = view.call("openat"), view.call("mystery")
        assert openat is not None
        assert mystery is not None
        known = decoded(record_builders.syscall_detail(view, openat))["Reference"]
        unknown = decoded(record_builders.syscall_detail(view, mystery))["Reference"]

        self.assertEqual(set(known), set(unknown))
        self.assertIn("openat(", known["Signature"])
        self.assertIn("ENOENT", [errno["Name"] for errno in known["Errnos"]])
        self.assertEqual(("", []), (unknown["Signature"], unknown["Errnos"]))


class StatusTests(SynchronousTestCase):
    """The course of a trace."""

    def test_half_read(self) -> None:
        """The keys of the specification, and the progress of reading."""
        status = decoded(record_builders.status(snapshot()))

        self.assertEqual(
            {
                "PID": 7,
                "Comm": "cat",
                "Cmdline": "cat /nope",
                "Exe": "/usr/bin/cat",
                "Cwd": "/srv",
            },
            status["Proc"],
        )
        self.assertEqual((17, 3, 3), (status["Total"], status["Errors"], status["Unique"]))
        self.assertEqual(("1m23s", False), (status["Elapsed"], status["Done"]))
        self.assertIsInstance(status["Rate"], float)
        self.assertEqual(
            {"Bytes": 50, "TotalBytes": 100, "Lines": 20, "Percent": 50.0}, status["Reading"]
        )

    def test_done(self) -> None:
        """After the end there is no rate, and the exit code is known."""
        status = decoded(record_builders.status(snapshot(done=True)))

        self.assertEqual((True, 0.0, 1), (status["Done"], status["Rate"], status["ExitCode"]))
        self.assertEqual("exited with 1", status["State"])

    def test_only(self) -> None:
        """Filters are shown."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace", only="-e %file"))
        status = decoded(record_builders.status(aggregator.snapshot()))

        self.assertEqual("-e %file", status["Only"])
        self.assertEqual("", decoded(record_builders.status(snapshot()))["Only"])

    def test_in_progress(self) -> None:
        """Calls that have not returned are counted apart, and none after the end."""
        blocked = Thread([Did("recvfrom", DATABASE, current=S)])

        for done, expected in ((False, 1), (True, 0)):
            status = decoded(record_builders.status(world(blocked, Thread(user=S), done=done)))
            self.assertEqual((0, expected), (status["Total"], status["InProgress"]))

    def test_living(self) -> None:
        """A live trace has no reading progress."""
        self.assertNotIn("Reading", decoded(record_builders.status(Aggregator().snapshot())))


class OtherTests(SynchronousTestCase):
    """The other records."""

    def test_log(self) -> None:
        """Entries are as strace prints them, the oldest first; some have no time."""
        undated, dated = decoded(record_builders.log(snapshot()))

        keys = {"Time", "PID", "Name", "Args", "RetVal", "Error", "Duration", "Waited", "Object"}
        self.assertEqual(keys, set(dated))
        self.assertEqual(("-1", "ENOENT"), (dated["RetVal"], dated["Error"]))
        self.assertEqual(("", "0", ""), (undated["Time"], undated["RetVal"], undated["Error"]))

    def test_categories(self) -> None:
        """Each category that occurs has its totals, under its label."""
        found = decoded(record_builders.by_category(snapshot()))

        self.assertEqual({"Count": 4, "Errs": 0, "TotalTime": 0}, found["I/O"])
        self.assertEqual({"Count": 4, "Errs": 3, "TotalTime": 100_000}, found["FS"])
        self.assertEqual({"I/O", "FS", "OTHER"}, set(found))

    def test_files(self) -> None:
        """The paths opened most often come first, equals by name; failed calls count as well."""
        self.assertEqual(
            [
                {"path": "/c", "count": 3, "failed": 1},
                {"path": "/a", "count": 2, "failed": 2},
                {"path": "/b", "count": 2, "failed": 0},
            ],
            decoded(record_builders.files(snapshot())),
        )

    def test_history(self) -> None:
        """There is a point for each second, including those without calls."""
        points = decoded(record_builders.history(snapshot()))

        self.assertEqual([4, 0, 1], [point["Calls"] for point in points])
        self.assertEqual([3, 0, 0], [point["Errors"] for point in points])
        self.assertEqual([60_000, 0, 40_000], [point["TimeNs"] for point in points])
        self.assertEqual(
            {"Count": 3, "Errs": 3, "TotalTime": 60_000}, points[0]["Categories"]["FS"]
        )
        self.assertEqual({}, points[1]["Categories"])

    def test_no_history(self) -> None:
        """Without timestamps there is no history."""
        self.assertEqual(
            [], record_builders.history(snapshot(Delta(calls={"close": CallTally(count=1)})))
        )

    def test_processes(self) -> None:
        """Processes have their totals; their tables only if those are kept."""
        (process,) = decoded(record_builders.processes(snapshot()))
        apart = attrs.evolve(_DELTA, by_process={7: {"openat": _OPENAT}})
        (with_table,) = decoded(record_builders.processes(snapshot(apart)))

        self.assertEqual(
            {
                "PID": 7,
                "Parent": 3,
                "Comm": "cat",
                "Count": 17,
                "Errors": 3,
                "TotalTime": 100_000,
                "Ending": "exited with 0",
                "Lives": 0,
            },
            process,
        )
        self.assertEqual(["openat"], [row["Name"] for row in with_table["Calls"]])

    def test_fidelity(self) -> None:
        """The ledger is served in full, and explained where it is not clean."""
        clean = decoded(record_builders.fidelity(snapshot()))
        lossy = decoded(
            record_builders.fidelity(
                snapshot(attrs.evolve(_DELTA, ledger=Ledger(unparsed_lines=1200)))
            )
        )

        self.assertTrue(clean["Exact"])
        self.assertEqual([], clean["Explanations"])
        self.assertEqual({"Lines": 20, "Records": 17, "Halves": 2, "Notes": 1}, clean["Reading"])
        self.assertFalse(lossy["Exact"])
        self.assertEqual(1200, lossy["Ledger"]["UnparsedLines"])
        self.assertEqual(len(attrs.fields(Ledger)), len(lossy["Ledger"]))
        (explanation,) = lossy["Explanations"]
        self.assertIn("1,200 log lines", explanation)
        self.assertEqual(({}, {"UnparsedLines": explanation}), (clean["Inexact"], lossy["Inexact"]))

    def test_sample(self) -> None:
        """A sampled log is noted, and all numbers stay exact."""
        ledger = Ledger(lost_events=2, sampled_entries=5)
        answer = decoded(record_builders.fidelity(snapshot(attrs.evolve(_DELTA, ledger=ledger))))

        self.assertEqual(2, len(answer["Explanations"]))
        self.assertEqual(["LostEvents"], list(answer["Inexact"]))

    def test_noted(self) -> None:
        """A call that was in progress is noted, and no data is lost."""
        ledger = Ledger(untimed_calls=1)
        answer = decoded(record_builders.fidelity(snapshot(attrs.evolve(_DELTA, ledger=ledger))))

        self.assertEqual((True, {}), (answer["Exact"], answer["Inexact"]))
        self.assertEqual({"UntimedCalls": "1 call counted without a duration"}, answer["Noted"])
        self.assertIn("No data was lost", answer["Verdict"])
        self.assertTrue(
            decoded(record_builders.fidelity(snapshot()))["Verdict"].startswith("✓ Every")
        )

    def test_cut_short(self) -> None:
        """A trace that was cut short is not exact, even if nothing was lost."""
        for ledger, words in (
            (Ledger(), "▲ The trace"),
            (Ledger(lost_events=1), "▲ Data was lost"),
        ):
            view = snapshot(attrs.evolve(_DELTA, ledger=ledger))
            answer = decoded(record_builders.fidelity(attrs.evolve(view, trouble="gone")))

            self.assertFalse(answer["Exact"])
            self.assertTrue(answer["Verdict"].startswith(words))
            self.assertTrue(answer["Verdict"].endswith("cut short: the numbers end there."))

    @given(deltas)
    def test_anything(self, delta: Delta) -> None:
        """Every delta can be encoded."""
        view = snapshot(delta)
        for shape in (
            *(
                record_builders.stats,
                record_builders.status,
                record_builders.log,
                record_builders.by_category,
                record_builders.files,
            ),
            *(record_builders.history, record_builders.processes, record_builders.fidelity),
        ):
            self.assertLess(0, len(encode(shape(view))))
        for call in view.calls:
            self.assertLess(0, len(encode(record_builders.syscall_detail(view, call))))
