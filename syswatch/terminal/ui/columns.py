"""The columns of the table: what they show, and how they sort."""

from collections.abc import Callable

import attrs

from syswatch.model.snapshot import CallStat
from syswatch.views.numbers import count, duration, per_second, share

from .styled_text import Span, align_left, align_right

_NOTHING = ("–", "dim")


@attrs.frozen
class Whole:
    """What a row is a part of, and the most that any row has."""

    total_ns: int
    most: int


@attrs.frozen
class Column:
    """One column; those of a low rank stay when there is little room."""

    name: str
    title: str
    width: int
    rank: int
    cell: Callable[[CallStat, Whole], Span]
    key: Callable[[CallStat], float | str]
    meaning: str
    fit: Callable[[str, int], str] = align_right
    # Shown only if it is chosen.
    extra: bool = False

    @property
    def is_choosable(self) -> bool:
        """Return whether the table can do without it: its name is what a row is of."""
        return self.name != "name"


def _time(of: Callable[[CallStat], int]) -> Callable[[CallStat, Whole], Span]:
    def cell(call: CallStat, _whole: Whole) -> Span:
        return (duration(of(call)), "") if call.tally.histogram.counts else _NOTHING

    return cell


def _share(call: CallStat, whole: Whole) -> Span:
    return (share(call.tally.total_ns / whole.total_ns), "") if whole.total_ns else _NOTHING


def _bar(call: CallStat, whole: Whole) -> Span:
    return "█" * round(10 * call.tally.count / (whole.most or 1)), call.category.value


def _failed(call: CallStat) -> str:
    return "failing" if call.error_share >= 0.5 else "slow"  # noqa: PLR2004  every second one


COLUMNS = (
    Column(
        "name",
        "CALL",
        14,
        0,
        lambda call, _: (call.name, ""),
        lambda call: call.name,
        "the system call",
        align_left,
    ),
    Column(
        "category",
        "CAT",
        5,
        2,
        lambda call, _: (call.category.value, call.category.value),
        lambda call: call.category.value,
        "what it is about",
        align_left,
    ),
    Column(
        "calls",
        "CALLS",
        7,
        1,
        lambda call, _: (count(call.tally.count), ""),
        lambda call: -call.tally.count,
        "how often it was called",
    ),
    Column(
        "bar",
        "",
        10,
        11,
        _bar,
        lambda call: -call.tally.count,
        "its calls beside those of the commonest",
        str.ljust,
    ),
    Column(
        "now",
        "NOW/s",
        7,
        5,
        lambda call, _: (per_second(call.rate), "live") if call.rate else _NOTHING,
        lambda call: -call.rate,
        "calls per second, over the last four",
    ),
    Column(
        "total",
        "TOTAL",
        7,
        9,
        _time(lambda call: call.tally.total_ns),
        lambda call: -call.tally.total_ns,
        "time in it, waiting included",
    ),
    Column(
        "share",
        "TIME%",
        6,
        10,
        _share,
        lambda call: -call.tally.total_ns,
        "its part of the time in all calls",
    ),
    Column(
        "min",
        "MIN",
        7,
        14,
        _time(lambda call: call.tally.min_ns),
        lambda call: -call.tally.min_ns,
        "the fastest call",
        extra=True,
    ),
    Column(
        "average",
        "AVG",
        7,
        4,
        _time(lambda call: call.tally.average_ns),
        lambda call: -call.tally.average_ns,
        "mean time",
    ),
    Column(
        "p50",
        "P50",
        7,
        15,
        _time(lambda call: call.p50_ns),
        lambda call: -call.p50_ns,
        "half of the calls were not slower",
        extra=True,
    ),
    Column(
        "p95",
        "P95",
        7,
        12,
        _time(lambda call: call.p95_ns),
        lambda call: -call.p95_ns,
        "95 of 100 calls were not slower",
    ),
    Column(
        "p99",
        "P99",
        7,
        6,
        _time(lambda call: call.p99_ns),
        lambda call: -call.p99_ns,
        "99 of 100 calls were not slower",
    ),
    Column(
        "max",
        "MAX",
        7,
        7,
        _time(lambda call: call.tally.max_ns),
        lambda call: -call.tally.max_ns,
        "the slowest call",
    ),
    Column(
        "errors",
        "ERRORS",
        7,
        3,
        lambda call, _: (
            (count(call.tally.errors), _failed(call)) if call.tally.errors else _NOTHING
        ),
        lambda call: -call.tally.errors,
        "how often it failed",
    ),
    Column(
        "failing",
        "ERR%",
        7,
        13,
        lambda call, _: (share(call.error_share), _failed(call)) if call.tally.errors else _NOTHING,
        lambda call: int(-1e9 * call.error_share),
        "how many of its calls failed",
    ),
    Column(
        "recent",
        "ERR60S",
        7,
        16,
        lambda call, _: (count(call.errors_60s), _failed(call)) if call.errors_60s else _NOTHING,
        lambda call: -call.errors_60s,
        "how often it failed within the last minute",
        extra=True,
    ),
    Column(
        "errno",
        "ERRNO",
        10,
        8,
        lambda call, _: (call.tally.top_errno, _failed(call)) if call.tally.errors else _NOTHING,
        lambda call: call.tally.top_errno or "~",
        "the commonest error",
        align_left,
    ),
)
USUAL = frozenset(column.name for column in COLUMNS if not column.extra)
BY_NAME = {column.name: column for column in COLUMNS}
