"""
The format of the lines of a log: what precedes a call, and a fast way to count plain calls.

Parsing a line exactly takes some microseconds.  Most lines are plain (a complete call whose result
is a number), so one regular expression, made for the format of the log, runs over many lines at
once and returns a row for each.  Equal rows are then counted once.  A row without a name is the
first half of a call, or a line for `grammar.py`.  Halves of calls are joined as text, and read by a
variant of the expression.

The expression matches only where it is right: after the result nothing may follow but a
decoration, an errno, a duration and the end of the line.  A `) = 1` within a string or a decoration
cannot be taken for a result, because the string or decoration would still have to be closed.  For a
damaged line that closes nothing, the grammar falls back on the same end of the line.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Final, NamedTuple

import attrs

from .grammar import (
    CALL_NAME,
    DETAILED_END,
    FIRST_ARGUMENT,
    OPENS,
    ROW_END,
    STRING,
    time_of,
)
from .log_clock import LogClock, is_relative, is_time_of_day, whole_seconds

_ANY_FORMAT = re.compile(
    rb"(?P<brackets>\[pid +\d{1,8}\] )?(?P<pid>\d{1,8} +(?=[^ ]))?"
    rb"(?P<time>(?: *(?:\d\d:\d\d:\d\d(?:\.\d+)?|\d{1,10}\.\d+|\d{9,10}) )?)"
    rb"(?P<relative>\(\+ +\d+\.\d+\) )?(?P<number>\[ *\d+\] )?(?P<pointer>\[[0-9a-f?]{8,16}\] )?"
    rb"(?:%s\(|<\.\.\. )" % CALL_NAME
)
_TIME_OF_DAY: Final = rb"(\d\d:\d\d:\d\d)%s "
_DATE: Final = rb"(\d{9,10})%s "
_NO_TIME: Final = rb"()()"
# The fraction of the second, which is left out of plain rows: few of them would be equal.
_WITH_FRACTION: Final = rb"(?:\.(\d+))?"
_WITHOUT_FRACTION: Final = rb"(?:\.\d+)?()"


# The indexes of the fields of a row: regular expressions return plain tuples.
(
    PID,
    SECOND,
    FRACTION,
    NAME,
    RESUMED,
    ARGUMENTS,
    PATH,
    FIRST,
    RESULT,
    HEXADECIMAL,
    ERRNO,
    DURATION,
    BEGUN,
) = range(13)


class Row(NamedTuple):
    """
    The fields of a plain line, empty if it does not have them.

    Complete calls have a `name`; the second halves of calls have it in `resumed`; calls that were
    joined have both, and the time at which they ended.  First halves have all their text in
    `begun`.  `path` is that of a call that opens a file.

    Detailed rows have the `fraction` of the second, too.  In them, `path` is any string with which
    the arguments begin, and includes the number of the directory, and `first` is a descriptor, or
    the address of a futex, with which they begin.  The result is in `result` if it is decimal, else
    in `hexadecimal`.

    Only rows that are recorded have all `arguments`, of a second half what it has of them.
    """

    pid: bytes
    second: bytes
    fraction: bytes
    name: bytes
    resumed: bytes
    arguments: bytes
    path: bytes
    first: bytes
    result: bytes
    hexadecimal: bytes
    errno: bytes
    duration: bytes
    begun: bytes = b""


@attrs.frozen
class Expression:
    """An expression that finds the fields of plain lines, or of calls whose halves were joined."""

    _leader: bytes
    _arguments: bytes
    _end: bytes

    @property
    def lines(self) -> re.Pattern[bytes]:
        """Return what finds a row for each line of a log."""
        call = rb"(?:(%s)\(|<\.\.\. (%s) resumed>)" % (CALL_NAME, CALL_NAME) + self._call
        return self._rows(rb"%s|(%s\(.*) <unfinished \.\.\.>" % (call, CALL_NAME))

    @property
    def joined(self) -> re.Pattern[bytes]:
        """Return what finds a row for each line of joined calls."""
        return self._rows(rb"(?=(%s)\()(%s)\(" % (CALL_NAME, CALL_NAME) + self._call + rb"()")

    @property
    def _call(self) -> bytes:
        return self._arguments + self._end

    def _rows(self, line: bytes) -> re.Pattern[bytes]:
        # Compiled when it is needed, and then cached.
        return re.compile(rb"^(?:%s(?:%s|.*)|.*)$" % (self._leader, line), re.MULTILINE)


@attrs.frozen
class LineFormat:
    """
    The expression for the plain lines of a log, and whether they begin with a time of day.

    `detailed` is another expression, which takes more time and finds objects, too; `recorded` also
    finds what is recorded of a call.
    """

    plain: Expression | None
    time_of_day: bool = False
    detailed: Expression | None = None
    recorded: Expression | None = None

    def expression(self, *, objects: bool, arguments: bool) -> Expression | None:
        """Return the expression that finds what is needed."""
        if arguments:
            return self.recorded
        return self.detailed if objects else self.plain


def detect_format(lines: Iterable[bytes]) -> LineFormat | None:
    """Detect the format in the first line with a call; return None if there is none."""
    match = next(filter(None, map(_ANY_FORMAT.match, lines)), None)
    if match is None:
        return None
    time = match["time"].strip()
    # Relative times are added up, so every line must be parsed.
    if time and is_relative(time):
        return LineFormat(None)
    of_day = is_time_of_day(time)
    leader = rb"(\d{1,8}) +" if match["pid"] else rb"(?:\[pid +(\d{1,8})\] )?"
    leader += (_TIME_OF_DAY if of_day else _DATE) if time else _NO_TIME
    leader += rb"\(\+ +\d+\.\d+\) " if match["relative"] else b""
    leader += rb"\[ *\d+\] " if match["number"] else b""
    leader += rb"\[[0-9a-f?]{8,16}\] " if match["pointer"] else b""
    plain, detailed = (
        leader.replace(b"%s", fraction) for fraction in (_WITHOUT_FRACTION, _WITH_FRACTION)
    )
    return LineFormat(
        _plain(plain),
        of_day,
        Expression(detailed, rb"()" + FIRST_ARGUMENT + rb".*", DETAILED_END),
        Expression(detailed, rb"(" + FIRST_ARGUMENT + rb".*)", DETAILED_END),
    )


def _plain(leader: bytes) -> Expression:
    opens = rb"|".join(
        rb"(?<=%s\()(?<![a-z0-9_]%s\()%s" % (name, name, before) for name, before in OPENS.items()
    )
    arguments = rb"()(?:(?:%s)(%s(?:\.\.\.)?))?().*" % (opens, STRING)
    return Expression(leader, arguments, ROW_END)


def times_of_day(
    rows: Sequence[Row], lines: Sequence[bytes], *, in_rows: bool
) -> Iterator[tuple[int, bytes]]:
    """Yield where the time of day changes, including on lines of another format."""
    last = b""
    # If the row of a call has no time, its line has none either.
    timed = (
        (index, row[SECOND]) if row[SECOND] else (index, time_of(lines[index]))
        for index, row in enumerate(rows)
        if (in_rows if row[SECOND] else not row[NAME])
    )
    for index, time in timed:
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


# What is counted of a call: these fields, and how many calls have them.
COUNTED = itemgetter(PID, SECOND, NAME, RESUMED, ERRNO, DURATION)
Counted = tuple[bytes, bytes, bytes, bytes, bytes, bytes]


def first_and_last_dated(
    rows: Sequence[Row], lines: Sequence[bytes], undated: Container[int]
) -> Iterator[bytes]:
    """Yield the first and the last line with a time; what looks like one in others is none."""
    for indexes in (range(len(rows)), range(len(rows) - 1, -1, -1)):
        dated = (index for index in indexes if rows[index][SECOND] and index not in undated)
        yield from (lines[index] for index in islice(dated, 1))


@lru_cache(maxsize=65536)
def number(digits: bytes) -> int:
    """Return a number in a row, 0 if it is empty."""
    return int(digits or 0)


@lru_cache(maxsize=4096)
def name_of(name: bytes) -> str:
    """Return a name in a row."""
    return name.decode()


@lru_cache(maxsize=4096)
def second_of(second: bytes, origin_s: int) -> int | None:
    """Return the time of a row in seconds since 1970, None if it has none."""
    if not second:
        return None
    return whole_seconds(second) + (origin_s if is_time_of_day(second) else 0)
