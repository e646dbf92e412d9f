"""The dates of rows: where a day begins, and which lines have the first and the last time."""

from collections.abc import Container, Iterator, Sequence
from itertools import islice

from .grammar import time_of
from .line_format import BEGUN, NAME, RESUMED, SECOND, Row
from .log_clock import LogClock, is_time_of_day, whole_seconds
from .row_loops import loops


def times_of_day(
    rows: Sequence[Row], lines: Sequence[bytes], *, in_rows: bool
) -> Iterator[tuple[int, bytes]]:
    """Yield where the time of day changes, including on lines of another format."""
    last = b""
    for index in loops.with_time(rows, in_rows):
        line = lines[index]
        # If the row of a call has no time, its line has none either.
        time = rows[index][SECOND] or (time_of(line) if is_time_of_day(line) else b"")
        if time != last and is_time_of_day(time):
            last = time
            yield index, time


def days(
    rows: Sequence[Row], lines: Sequence[bytes], clock: LogClock, *, in_rows: bool
) -> Iterator[tuple[int, int, int]]:
    """Split rows at midnight; yield the range of each day and its origin."""
    begin = 0
    for index, time in times_of_day(rows, lines, in_rows=in_rows):
        origin_s = clock.origin_s
        clock.advance_to(whole_seconds(time))
        if clock.origin_s != origin_s:
            yield begin, index, origin_s
            begin = index
    yield begin, len(rows), clock.origin_s


def are_timed(rows: Sequence[Row]) -> bool:
    """Return whether the calls among some rows have a time: all of a log have one, or none has."""
    calls = (row for row in rows if row[NAME] or row[RESUMED] or row[BEGUN])
    return next((bool(row[SECOND]) for row in calls), False)


def first_and_last_dated(
    rows: Sequence[Row], lines: Sequence[bytes], others: Container[int]
) -> Iterator[bytes]:
    """Yield the first and the last line with a time, but for others at some indexes."""
    if are_timed(rows):
        indexes = range(len(rows))
        for each in (indexes, reversed(indexes)):
            dated = (index for index in each if rows[index][SECOND] and index not in others)
            yield from (lines[index] for index in islice(dated, 1))
