"""The columns of the table: what they show, how they sort, and which fit a width."""

from collections.abc import Callable, Sequence

import attrs

from syswatch.model.snapshot import CallStat
from syswatch.views.numbers import count, duration, per_second, share

from .pieces import Line, Piece, left, right

# What long names get where there is room, and then each column of numbers before it.
_SPARE_CELLS = {"errno": 2, "name": 12}
_MOST_AIR = 2
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
    cell: Callable[[CallStat, Whole], Piece]
    key: Callable[[CallStat], float | str]
    meaning: str
    fit: Callable[[str, int], str] = right


def _time(of: Callable[[CallStat], int]) -> Callable[[CallStat, Whole], Piece]:
    def cell(call: CallStat, _whole: Whole) -> Piece:
        return (duration(of(call)), "") if call.tally.histogram.counts else _NOTHING

    return cell


def _share(call: CallStat, whole: Whole) -> Piece:
    return (share(call.tally.total_ns / whole.total_ns), "") if whole.total_ns else _NOTHING


def _bar(call: CallStat, whole: Whole) -> Piece:
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
        left,
    ),
    Column(
        "category",
        "CAT",
        5,
        2,
        lambda call, _: (call.category.value, call.category.value),
        lambda call: call.category.value,
        "what it is about",
        left,
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
        "average",
        "AVG",
        7,
        4,
        _time(lambda call: call.tally.average_ns),
        lambda call: -call.tally.average_ns,
        "mean time",
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
        "errno",
        "ERRNO",
        10,
        8,
        lambda call, _: (call.tally.top_errno, _failed(call)) if call.tally.errors else _NOTHING,
        lambda call: call.tally.top_errno or "~",
        "the commonest error",
        left,
    ),
)
BY_NAME = {column.name: column for column in COLUMNS}


@attrs.frozen
class Layout:
    """The columns that fit, each with its cells."""

    columns: tuple[tuple[Column, int], ...]

    @classmethod
    def fitted(cls, width: int, sorted_by: str) -> "Layout":
        """Take columns by rank while there is room; what the table is sorted by is among them."""
        ranked = sorted(COLUMNS, key=lambda each: (each.name not in ("name", sorted_by), each.rank))
        free, chosen = width, set()
        for column in ranked:
            if column.width + 1 <= free:
                chosen.add(column.name)
                free -= column.width + 1
        spare = {}
        for name, most in _SPARE_CELLS.items():
            spare[name] = min(max(free, 0), most)
            free -= spare[name]
        numbers = [each for each in COLUMNS if each.name in chosen and each.fit is right]
        air = min(max(free, 0) // len(numbers), _MOST_AIR) if numbers else 0
        spare.update({each.name: air for each in numbers})
        return cls(
            tuple(
                (column, column.width + spare.get(column.name, 0))
                for column in COLUMNS
                if column.name in chosen
            )
        )

    def titles(self, sorted_by: str, *, reverse: bool) -> Line:
        """Return the titles, with a mark at what the table is sorted by."""
        mark = "▲" if reverse else "▼"
        return [
            (
                column.fit(f"{column.title}{mark if column.name == sorted_by else ''}", width)
                + " ",
                "title" if column.name == sorted_by else "heading",
            )
            for column, width in self.columns
        ]

    def row(self, call: CallStat, whole: Whole) -> Line:
        """Return the cells of one call."""
        cells = [(column.cell(call, whole), column.fit, width) for column, width in self.columns]
        return [(fit(text, width) + " ", ink) for (text, ink), fit, width in cells]

    def column_at(self, x: int) -> str:
        """Return the column under a pointer."""
        end = 0
        for column, width in self.columns:
            end += width + 1
            if x < end:
                return column.name
        return ""


def arrange(
    calls: Sequence[CallStat], sorted_by: str, wanted: str, *, reverse: bool
) -> list[CallStat]:
    """Sort, and leave out what does not have the wanted text in its name or category."""
    wanted = wanted.casefold()
    kept = [
        call
        for call in calls
        if wanted in call.name.casefold() or wanted == call.category.value.casefold()
    ]
    by_name = sorted(kept, key=lambda call: call.name)
    # A sort keeps the order of equals either way.
    return sorted(by_name, key=BY_NAME[sorted_by].key, reverse=reverse)
