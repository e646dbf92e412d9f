"""Tests of the records of status, log and tables: every key, and its value."""

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Started
from syswatch.views import record_builders
from syswatch.views.records import encode
from tests.strategies import deltas

from .budget.worlds import DATABASE, Did, S, Thread, world
from .half_read import DELTA, OPENAT, decoded, snapshot


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
        apart = attrs.evolve(DELTA, by_process={7: {"openat": OPENAT}})
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
                snapshot(attrs.evolve(DELTA, ledger=Ledger(unparsed_lines=1200)))
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
        answer = decoded(record_builders.fidelity(snapshot(attrs.evolve(DELTA, ledger=ledger))))

        self.assertEqual(2, len(answer["Explanations"]))
        self.assertEqual(["LostEvents"], list(answer["Inexact"]))

    def test_noted(self) -> None:
        """A call that was in progress is noted, and no data is lost."""
        ledger = Ledger(untimed_calls=1)
        answer = decoded(record_builders.fidelity(snapshot(attrs.evolve(DELTA, ledger=ledger))))

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
            view = snapshot(attrs.evolve(DELTA, ledger=ledger))
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
