"""
The line_format of a log: which leader its lines have, and a regular expression that counts them.

Parsing a line exactly costs some microseconds.  Most lines are plain (a whole call with a
number as its result), so one expression with a fixed leader goes over a whole chunk and
returns a row a line; rows that are equal are then counted once.  A row without a name is a
line for `grammar.py`.

The expression is right whenever it matches: the result must be followed by nothing but a
decoration, an errno, a duration and the end of the line.  A `) = 1` inside a string or inside a
decoration is no such place, because what holds it would still have to be closed.  For a line that
was damaged until it closes nothing, the grammar says the same by falling back on the same end.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import attrs

from .clock import is_relative, is_time_of_day, whole_seconds
from .grammar import NAME, OPENS, PLAIN_END, STRING, time_of

_SNIFF = re.compile(
    rb"(?P<brackets>\[pid +\d{1,8}\] )?(?P<pid>\d{1,8} +(?=[^ ]))?"
    rb"(?P<time>(?: *(?:\d\d:\d\d:\d\d(?:\.\d+)?|\d{1,10}\.\d+|\d{9,10}) )?)"
    rb"(?P<relative>\(\+ +\d+\.\d+\) )?(?P<number>\[ *\d+\] )?(?P<pointer>\[[0-9a-f?]{8,16}\] )?"
    rb"(?:%s\(|<\.\.\. )" % NAME
)
_TIME_OF_DAY: Final = rb"(\d\d:\d\d:\d\d)(?:\.\d+)? "
_DATE: Final = rb"(\d{9,10})(?:\.\d+)? "
_NO_GROUP: Final = rb"()"


class Row(NamedTuple):
    """
    What is counted of a plain line, the fields empty that it does not have.

    Whole calls have a `name`, the second halves of calls have it as `resumed`.
    """

    pid: bytes
    second: bytes
    name: bytes
    path: bytes
    resumed: bytes
    errno: bytes
    duration: bytes


@attrs.frozen
class LineFormat:
    """How the lines of one log begin."""

    plain: re.Pattern[bytes] | None
    time_of_day: bool = False


def detect_format(lines: Iterable[bytes]) -> LineFormat | None:
    """Learn the line_format from the first line that holds a call; None where no line does."""
    match = next(filter(None, map(_SNIFF.match, lines)), None)
    if match is None:
        return None
    time = match["time"].strip()
    # A distance means nothing without the sum of all before it: no line may be skipped.
    if time and is_relative(time):
        return LineFormat(None)
    of_day = is_time_of_day(time)
    leader = rb"(\d{1,8}) +" if match["pid"] else rb"(?:\[pid +(\d{1,8})\] )?"
    leader += (_TIME_OF_DAY if of_day else _DATE) if time else _NO_GROUP
    leader += rb"\(\+ +\d+\.\d+\) " if match["relative"] else b""
    leader += rb"\[ *\d+\] " if match["number"] else b""
    leader += rb"\[[0-9a-f?]{8,16}\] " if match["pointer"] else b""
    return LineFormat(_plain(leader), of_day)


def _plain(leader: bytes) -> re.Pattern[bytes]:
    opens = rb"|".join(
        rb"(?<=%s\()(?<![a-z0-9_]%s\()%s" % (name, name, before) for name, before in OPENS.items()
    )
    return re.compile(
        rb"^(?:%s(?:(?:(%s)\((?:(?:%s)(%s(?:\.\.\.)?))?|<\.\.\. (%s) resumed>).*%s|.*)|.*)$"
        % (leader, NAME, opens, STRING, NAME, PLAIN_END),
        re.MULTILINE,
    )


def times_of_day(
    rows: Sequence[Row], lines: Sequence[bytes], *, in_rows: bool
) -> Iterator[tuple[int, bytes]]:
    """Yield where a time of day changes, on lines of other dialects too."""
    last = b""
    # Rows without a time that are calls have none in their lines.
    timed = (
        (index, row[1]) if row[1] else (index, time_of(lines[index]))
        for index, row in enumerate(rows)
        if (in_rows if row[1] else not row[2])
    )
    for index, time in timed:
        if time != last and is_time_of_day(time):
            last = time
            yield index, time


def dated_edges(rows: Sequence[Row], lines: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the first and the last line whose row has a time."""
    for indexes in (range(len(rows)), range(len(rows) - 1, -1, -1)):
        yield from islice((lines[index] for index in indexes if rows[index][1]), 1)


@lru_cache(maxsize=65536)
def number(digits: bytes) -> int:
    """Return a number in a row, 0 where there is none."""
    return int(digits or 0)


@lru_cache(maxsize=4096)
def word(name: bytes) -> str:
    """Return a name in a row."""
    return name.decode()


@lru_cache(maxsize=4096)
def second_of(second: bytes, origin_s: int) -> int | None:
    """Return the second of a row since 1970, None where there is none."""
    if not second:
        return None
    return whole_seconds(second) + (origin_s if is_time_of_day(second) else 0)
