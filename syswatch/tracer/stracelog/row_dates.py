"""The dates of rows: where a day begins, and which lines have the first and the last time."""

from collections.abc import Container, Iterator, Sequence
from itertools import filterfalse, islice

from .grammar import time_of
from .line_format import SECOND, Row
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


def first_and_last_dated(
    rows: Sequence[Row], lines: Sequence[bytes], undated: Container[int]
) -> Iterator[bytes]:
    """Yield the first and the last line with a time; what looks like one in others is none."""
    indexes = loops.with_field(rows, SECOND)
    for each in (indexes, reversed(indexes)):
        yield from (lines[index] for index in islice(filterfalse(undated.__contains__, each), 1))
