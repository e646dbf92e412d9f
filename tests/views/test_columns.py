"""Tests of the registry of columns."""

from collections.abc import Iterable

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.histogram import Histogram
from syswatch.model.snapshot import CallStat
from syswatch.views import records
from syswatch.views.board_records import BoardRow
from syswatch.views.column import Kind, Totals
from syswatch.views.columns import COLUMNS, CSV, REPORT, SUMMARY, TERMINAL, TOP, WEB

_TABLES: tuple[Iterable[str], ...] = (SUMMARY, TOP, CSV, REPORT, TERMINAL, WEB)
_TALLY = CallTally(
    40_000, 30_000, 8000, 1000, 4000, Histogram.of([1000, 3000, 4000]), {"ENOENT": 30_000}
)
_CALL = attrs.evolve(
    CallStat.of("openat", _TALLY, errors_60s=7, rate=1234.5),
    working_ns=1000,
    ready_ns=2000,
    blocked_ns=4000,
    idle_ns=1000,
)
_UNTIMED = CallStat.of("close", CallTally(10_000))
_TOTALS = Totals.of((_CALL, _UNTIMED))


class ColumnTests(SynchronousTestCase):
    """Columns, and the tables that show them."""

    def test_shown(self) -> None:
        """Every table shows columns that exist, and every column is shown by some table."""
        self.assertEqual(set(COLUMNS), set().union(*_TABLES))

    def test_name_first(self) -> None:
        """Every table begins with the name of the call."""
        self.assertEqual({"name"}, {next(iter(table)) for table in _TABLES})

    def test_explained(self) -> None:
        """Every column has a meaning, and a title unless it is a drawing."""
        for column in COLUMNS.values():
            self.assertTrue(column.meaning, column.key)
            self.assertEqual(column.kind is not Kind.BAR, bool(column.title), column.key)

    def test_fields(self) -> None:
        """The API has the fields of `top`, and the page is sent those that it shows."""
        served = set(records.SyscallStat.__struct_encode_fields__)
        self.assertEqual(set(), {COLUMNS[key].field for key in TOP} - served)
        computed_there = {"Time", "Share", "ErrPct"}
        sent = {*BoardRow.__struct_encode_fields__, *computed_there}
        self.assertEqual(set(), {COLUMNS[key].field for key in WEB} - sent)

    def test_values(self) -> None:
        """Each column writes its value of a call, shortened or exactly."""
        written = {
            key: column.text(column.value(_CALL, _TOTALS)) for key, column in COLUMNS.items()
        }

        self.assertEqual(
            {
                "name": "openat",
                "category": "FS",
                "calls": "40 k",
                "bar": "100 %",
                "call_share": "80 %",
                "rate": "1234",
                "total": "8 µs",
                "time_share": "100 %",
                "not_idle": "7 µs",
                "waiting": "5 µs",
                "blocked": "4 µs",
                "working": "1 µs",
                "ready": "2 µs",
                "min": "1 µs",
                "average": "2.67 µs",
                "p50": "3.01 µs",
                "p95": "4 µs",
                "p99": "4 µs",
                "max": "4 µs",
                "errors": "30 k",
                "error_share": "75 %",
                "errors_60s": "7",
                "errno": "ENOENT",
                "top_path": "",
            },
            written,
        )
        self.assertEqual("40,000", COLUMNS["calls"].text(40_000, exact=True))

    def test_nothing(self) -> None:
        """A call without durations or failures has no values for them, rather than zeroes."""
        values = {key: column.value(_UNTIMED, _TOTALS) for key, column in COLUMNS.items()}

        known = {key for key, value in values.items() if value is not None}
        self.assertEqual({"name", "category", "calls", "bar", "call_share"}, known)

    def test_sorting(self) -> None:
        """Numbers sort with the largest first, and missing ones last; texts sort by name."""
        for key, column in COLUMNS.items():
            if key not in {"name", "category", "top_path"}:
                calls = sorted((_UNTIMED, _CALL), key=column.sort_key)
                self.assertEqual([_CALL, _UNTIMED], calls, key)
        self.assertEqual([_UNTIMED, _CALL], sorted((_CALL, _UNTIMED), key=COLUMNS["name"].sort_key))
