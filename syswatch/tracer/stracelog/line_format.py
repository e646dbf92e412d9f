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

The module `plain_rows` finds the same rows faster, if it was compiled when syswatch was built.
"""

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, Protocol

import attrs

from syswatch.base.classes import frozen

from .grammar import (
    CALL_NAME,
    DETAILED_END,
    FIRST_ARGUMENT,
    OPENS,
    ROW_END,
    STRING,
)
from .leader import Leader, Time
from .log_clock import is_relative, is_time_of_day, whole_seconds

try:
    from . import plain_rows as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

_ANY_FORMAT = re.compile(
    rb"(?P<brackets>\[pid +\d{1,8}\] )?(?P<pid>\d{1,8} +(?=[^ ]))?"
    rb"(?P<time>(?: *(?:\d\d:\d\d:\d\d(?:\.\d+)?|\d{1,10}\.\d+|\d{9,10}) )?)"
    rb"(?P<relative>\(\+ +\d+\.\d+\) )?(?P<number>\[ *\d+\] )?(?P<pointer>\[[0-9a-f?]{8,16}\] )?"
    rb"(?:%s\(|<\.\.\. )" % CALL_NAME
)
# The fraction of the second, which is left out of plain rows: few of them would be equal.
_WITH_FRACTION: Final = rb"(?:\.(\d+))?"
_WITHOUT_FRACTION: Final = rb"(?:\.\d+)?()"
# What precedes and follows the name in a second half.
_BEFORE_NAME: Final = len(b"<... ")
_AFTER_NAME: Final = b" resumed>"


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


class FindRows(Protocol):
    """What finds the rows of plain lines."""

    def rows(self, chunk: bytes, /) -> list[Row]:
        """Return a row for each line of a log."""

    def joined(self, line: bytes, /) -> Row:
        """Return the row of a call whose halves were joined."""

    def join(  # noqa: PLR0913  as it is called from one place
        self,
        rows: list[Row],
        lines: list[bytes],
        index: int,
        texts: dict[bytes, bytes],
        usable: set[bytes],
        begun: list[int],
        joined: list[int],
        /,
    ) -> int:
        """
        Join halves of calls from an index on, up to a line that needs more; return its index.

        `texts` are the first halves by PID, of which `usable` ones may be added; `begun` and
        `joined` get the indexes of halves.
        """


@frozen
class Expression:
    """An expression that finds the fields of plain lines, or of calls whose halves were joined."""

    _leader: bytes
    _arguments: bytes
    _end: bytes

    def rows(self, chunk: bytes) -> list[Row]:
        """Return a row for each line of a log."""
        return self._lines.findall(chunk)

    def joined(self, line: bytes) -> Row:
        """Return the row of a call whose halves were joined."""
        found: list[Row] = self._joined.findall(line)
        return found[0]

    def join(  # noqa: PLR0913  as the compiled one
        self,
        rows: list[Row],
        lines: list[bytes],
        index: int,
        texts: dict[bytes, bytes],
        usable: set[bytes],
        begun: list[int],
        joined: list[int],
    ) -> int:
        """Join the plain halves of calls; return the index of the first line that needs more."""
        for at in range(index, len(rows)):
            row = rows[at]
            if row[NAME]:
                continue
            digits, name, text = row[PID], row[RESUMED], row[BEGUN]
            if text:
                if digits not in usable:
                    return at
                # The newest is the last one.
                texts.pop(digits, None)
                texts[digits] = text
                begun.append(at)
                continue
            first = texts.get(digits, b"")
            if not (name and first.startswith(name + b"(")):
                return at
            del texts[digits]
            lines[at] = joined_line(lines[at], name, first)
            rows[at] = self.joined(lines[at])
            joined.append(at)
        return len(rows)

    @cached_property
    def _lines(self) -> re.Pattern[bytes]:
        call = rb"(?:(%s)\(|<\.\.\. (%s) resumed>)" % (CALL_NAME, CALL_NAME) + self._call
        return self._rows(rb"%s|(%s\(.*) <unfinished \.\.\.>" % (call, CALL_NAME))

    @cached_property
    def _joined(self) -> re.Pattern[bytes]:
        return self._rows(rb"(?=(%s)\()(%s)\(" % (CALL_NAME, CALL_NAME) + self._call + rb"()")

    @property
    def _call(self) -> bytes:
        return self._arguments + self._end

    def _rows(self, line: bytes) -> re.Pattern[bytes]:
        # Compiled when it is needed, and then cached.
        return re.compile(rb"^(?:%s(?:%s|.*)|.*)$" % (self._leader, line), re.MULTILINE)


def joined_line(line: bytes, name: bytes, first: bytes) -> bytes:
    """Return the line of a call: that of its second half, with the text of the first half."""
    before, _, after = line.partition(_AFTER_NAME)
    return before[: -len(name) - _BEFORE_NAME] + first + after


@frozen
class LineFormat:
    """How the lines of a log begin; without a `leader`, every line must be parsed by itself."""

    leader: Leader | None

    @property
    def time_of_day(self) -> bool:
        """Return whether lines begin with a time of day."""
        return self.leader is not None and self.leader.time is Time.OF_DAY

    def find_rows(self, *, objects: bool, arguments: bool) -> FindRows | None:
        """Return what finds the fields that are needed; an expression takes more time for more."""
        if self.leader is None:
            return None
        expression = _detailed(self.leader, arguments=arguments)
        find: FindRows = expression if objects or arguments else _plain(self.leader)
        if compiled is not None:
            # It finds all fields in less time than an expression finds a few.
            leader = attrs.asdict(self.leader)
            find = compiled.PlainRows(
                **(leader | {"time": self.leader.time.value}),
                has_arguments=arguments,
                line_row=lambda line: expression.rows(line)[0],
                joined_row=expression.joined,
            )
        return find


def detect_format(lines: Iterable[bytes]) -> LineFormat | None:
    """Detect the format in the first line with a call; return None if there is none."""
    match = next(filter(None, map(_ANY_FORMAT.match, lines)), None)
    if match is None:
        return None
    time = match["time"].strip()
    # Relative times are added up, so every line must be parsed.
    if time and is_relative(time):
        return LineFormat(None)
    return LineFormat(
        Leader(
            pid_first=bool(match["pid"]),
            time=Time.NONE if not time else Time.OF_DAY if is_time_of_day(time) else Time.DATE,
            has_relative=bool(match["relative"]),
            has_number=bool(match["number"]),
            has_pointer=bool(match["pointer"]),
        )
    )


def _plain(leader: Leader) -> Expression:
    opens = rb"|".join(
        rb"(?<=%s\()(?<![a-z0-9_]%s\()%s" % (name, name, before) for name, before in OPENS.items()
    )
    arguments = rb"()(?:(?:%s)(%s(?:\.\.\.)?))?().*" % (opens, STRING)
    return Expression(leader.expression(_WITHOUT_FRACTION), arguments, ROW_END)


def _detailed(leader: Leader, *, arguments: bool) -> Expression:
    pattern = rb"(%s.*)" if arguments else rb"()%s.*"
    return Expression(
        leader.expression(_WITH_FRACTION), pattern.replace(b"%s", FIRST_ARGUMENT), DETAILED_END
    )


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
