"""Tests of the records of calls: every key, and its value."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.views import record_builders

from .half_read import decoded, snapshot

_STAT_KEYS = {
    *("Name", "Category", "Count", "Errors", "TotalTime", "MinTime", "MaxTime"),
    *("P95", "P99", "ErrRate60s"),
    *("Working", "Waiting", "Blocked", "Idle", "Ready", "Waits", "InProgress"),
}


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
