"""
The columns of all tables of system calls, and which table shows which of them.

To add a column, add an entry to `_COLUMNS` and its key to the tables that show it.  The web page
gets its own from a file that `python -m syswatch.web.registry` writes, and draws each one in
`columns.js`.
"""

from collections.abc import Callable, Mapping

from syswatch.model.snapshot import CallStat

from .column import Column, Kind, Place, Totals


def _time(
    key: str, field: str, title: str, meaning: str, nanoseconds: Callable[[CallStat], int]
) -> Column:
    """Return a column of durations, which are None for calls of which none was measured."""

    def value(call: CallStat, _totals: Totals) -> int | None:
        return nanoseconds(call) if call.tally.timed else None

    return Column(key, field, title, meaning, Kind.TIME, value)


def _total(call: CallStat, _totals: Totals) -> int | None:
    """Return the time in a call; None if none of its durations is known."""
    return call.total_ns if call.tally.timed or call.in_progress_ns else None


def _time_share(call: CallStat, totals: Totals) -> float | None:
    total_ns = _total(call, totals)
    return None if total_ns is None else _part(total_ns, totals.total_ns)


def _part(part: float, whole: float) -> float | None:
    return part / whole if whole else None


_COLUMNS = (
    Column("name", "Name", "Call", "The system call", Kind.TEXT, lambda call, _: call.name),
    Column(
        "category",
        "Category",
        "Category",
        "The category",
        Kind.TEXT,
        lambda call, _: call.category.value,
        short="Cat",
    ),
    Column(
        "calls", "Count", "Calls", "Number of calls", Kind.COUNT, lambda call, _: call.tally.count
    ),
    Column(
        "bar",
        "",
        "",
        "Number of calls, compared with the most frequent",
        Kind.BAR,
        lambda call, totals: _part(call.tally.count, totals.most),
    ),
    Column(
        "call_share",
        "Share",
        "Share",
        "Share of all calls",
        Kind.SHARE,
        lambda call, totals: _part(call.tally.count, totals.calls),
    ),
    Column(
        "rate",
        "Rate",
        "Now/s",
        "Calls per second, over the last four seconds",
        Kind.RATE,
        lambda call, _: call.rate or None,
    ),
    Column(
        "total",
        "TotalTime",
        "Total",
        "Time in this call, waits in progress included",
        Kind.TIME,
        _total,
    ),
    Column(
        "time_share",
        "TimeShare",
        "Time%",
        "Share of the time in all calls",
        Kind.SHARE,
        _time_share,
    ),
    Column(
        "not_idle",
        "Time",
        "Time",
        "Time in this call that was not idle, waits in progress included",
        Kind.TIME,
        lambda call, _: call.not_idle_ns or None,
    ),
    Column(
        "waiting",
        "Waiting",
        "Waiting",
        "Time waiting in this call, waits in progress included",
        Kind.TIME,
        lambda call, _: call.waiting_ns or None,
        short="Wait",
    ),
    Column(
        "blocked",
        "Blocked",
        "Blocked",
        "Of the time waiting, that within a piece of work",
        Kind.TIME,
        lambda call, _: call.blocked_ns or None,
    ),
    Column(
        "working",
        "Working",
        "Working",
        "Time on a CPU in this call",
        Kind.TIME,
        lambda call, _: call.working_ns or None,
        short="Work",
    ),
    Column(
        "ready",
        "Ready",
        "Ready",
        "Time in this call in which no CPU was free",
        Kind.TIME,
        lambda call, _: call.ready_ns or None,
    ),
    _time("min", "MinTime", "Min", "Shortest duration", lambda call: call.tally.min_ns),
    _time("average", "AvgTime", "Avg", "Average duration", lambda call: call.tally.average_ns),
    _time("p50", "P50", "P50", "Median duration", lambda call: call.p50_ns),
    _time("p95", "P95", "P95", "95 % of calls take no longer", lambda call: call.p95_ns),
    _time("p99", "P99", "P99", "99 % of calls take no longer", lambda call: call.p99_ns),
    _time("max", "MaxTime", "Max", "Longest duration", lambda call: call.tally.max_ns),
    Column(
        "errors",
        "Errors",
        "Errors",
        "Number of failed calls",
        Kind.COUNT,
        lambda call, _: call.tally.errors or None,
        is_of_errors=True,
    ),
    Column(
        "error_share",
        "ErrPct",
        "Err%",
        "Share of the calls that failed",
        Kind.SHARE,
        lambda call, _: call.error_share or None,
        is_of_errors=True,
    ),
    Column(
        "errors_60s",
        "ErrRate60s",
        "Err60s",
        "Failed calls within the last minute",
        Kind.COUNT,
        lambda call, _: call.errors_60s or None,
        is_of_errors=True,
    ),
    Column(
        "errno",
        "TopErrno",
        "Top errno",
        "The most frequent error",
        Kind.TEXT,
        lambda call, _: call.tally.top_errno or None,
        short="Errno",
        is_of_errors=True,
    ),
    # Not a value of a call: the server adds it where one call alone opens files.
    Column(
        "top_path", "TopPath", "Top file", "The path opened most", Kind.TEXT, lambda _call, _: None
    ),
)
COLUMNS: Mapping[str, Column] = {column.key: column for column in _COLUMNS}


def _ranks(columns: str) -> Mapping[str, int]:
    ranked = (each.partition(":") for each in columns.split())
    return {key: int(rank or 0) for key, _, rank in ranked}


# A number is the rank of a column: the highest are left out first where space is limited, and those
# without one never.
SUMMARY = _ranks(
    "name category:4 calls errors total waiting time_share:6 average:2 p95:7 p99:5 max:3 errno:1"
)
TOP = _ranks("name category:6 calls errors total:2 waiting:1 p95:5 p99:4 max:3")
CSV = [
    "name",
    "category",
    "calls",
    "errors",
    "total",
    "average",
    "min",
    "max",
    "p95",
    "p99",
    "errors_60s",
    "errno",
]
REPORT = [
    "name",
    "category",
    "calls",
    "bar",
    "call_share",
    "average",
    "p95",
    "p99",
    "max",
    "total",
    "waiting",
    "errors",
    "error_share",
    "errno",
]
TERMINAL: Mapping[str, Place] = {
    "name": Place(14, 0),
    "category": Place(5, 2),
    "calls": Place(7, 1),
    "bar": Place(10, 11),
    "rate": Place(7, 5),
    "total": Place(7, 9),
    "time_share": Place(6, 10),
    "waiting": Place(7, 8),
    "blocked": Place(9, 17, extra=True),
    "working": Place(7, 18, extra=True),
    "ready": Place(7, 19, extra=True),
    "min": Place(7, 14, extra=True),
    "average": Place(7, 4),
    "p50": Place(7, 15, extra=True),
    "p95": Place(7, 12),
    "p99": Place(7, 6),
    "max": Place(7, 7),
    "errors": Place(7, 3),
    "error_share": Place(7, 13),
    "errors_60s": Place(7, 16, extra=True),
    "errno": Place(10, 8),
}
WEB: Mapping[str, Place] = {
    "name": Place(11.6),
    "category": Place(6),
    "calls": Place(10.4),
    "not_idle": Place(5.4),
    "call_share": Place(5, extra=True),
    "rate": Place(10.4),
    "min": Place(5.4, extra=True),
    "average": Place(5.4),
    "p95": Place(5.4),
    "p99": Place(5.4),
    "max": Place(5.4),
    "total": Place(5.4),
    "blocked": Place(5.4, extra=True),
    "working": Place(5.4, extra=True),
    "errors": Place(11.6),
    "error_share": Place(5.3),
    "errors_60s": Place(6, extra=True),
    "top_path": Place(6),
}
