"""The text of the row that is being read."""

import operator
import re
from collections.abc import Iterator, Sequence
from functools import partial

import attrs

from syswatch.base.classes import define

from .grammar import DECORATION, STRING
from .line_format import ERRNO, NAME, PID, RESULT, Row, name_of, number
from .log_processes import LogProcesses
from .log_targets import arguments_of_line
from .logged_arguments import LoggedArguments, decorated, result_number

_STRING = re.compile(rb"%s(?:\.\.\.)?" % STRING)
_TWO_PATHS = re.compile(rb"%s, (?:(?:(\d+)|AT_FDCWD), )?(%s)(?=[,)]|$)" % (STRING, STRING))
_CURRENT_DIRECTORY = re.compile(rb"AT_FDCWD%s(?=, )" % DECORATION)


@define
class LogText:
    """
    Finds the line of the present row, or has the arguments of a call that is read by itself.

    Rows are taken from an iterator; how many are left tells which line it is, so that nothing has
    to be counted for rows whose line is not needed.
    """

    processes: LogProcesses
    fallback_pid: int = 0
    lines: Sequence[bytes] = attrs.field(default=(), init=False)
    rest: Iterator[Row] = attrs.field(factory=lambda: iter(()), init=False)
    # The index after the last one that the iterator yields.
    end: int = attrs.field(default=0, init=False)
    args: bytes | None = attrs.field(default=None, init=False)
    ret: bytes = attrs.field(default=b"", init=False)

    def pid(self, row: Row) -> int:
        """Return the PID of a row."""
        return number(row[PID]) or self.fallback_pid

    def line(self) -> bytes:
        """Return the line, or the part of it that is known."""
        if self.args is not None:
            return self.args
        return self.lines[self.end - operator.length_hint(self.rest) - 1]

    def arguments_text(self, row: Row) -> bytes:
        """Return the text of the arguments."""
        return arguments_of_line(self.line(), row[NAME]) if self.args is None else self.args

    def string_after(self, row: Row, first: bytes) -> bytes:
        """Return the quoted string that follows the first argument; nothing if none does."""
        before = first + b", "
        text, begin = self._arguments_at(row[NAME])
        if not text.startswith(before, begin):
            return b""
        match = _STRING.match(text, begin + len(before))
        return match[0] if match else b""

    def second_path(self, name: bytes) -> tuple[bytes, bytes]:
        """Return the descriptor, if any, and the quoted path after another path; or nothing."""
        text, begin = self._arguments_at(name)
        # With the paths of descriptors, the arguments have to be parsed.
        match = None if text.find(b"</", begin) >= 0 else _TWO_PATHS.search(text, begin)
        return (match[1] or b"", match[2]) if match else (b"", b"")

    def current_directory(self, name: bytes) -> bytes:
        """Return the working directory if the arguments begin with it, as `-y` writes it."""
        match = _CURRENT_DIRECTORY.match(*self._arguments_at(name))
        return decorated(match[0]) if match else b""

    def _arguments_at(self, name: bytes) -> tuple[bytes, int]:
        """Return a text, and where in it the arguments begin."""
        if self.args is not None:
            return self.args, 0
        line = self.line()
        return line, line.find(name + b"(") + len(name) + 1

    def arguments(self, row: Row) -> LoggedArguments:
        """Return the arguments as values."""
        result = result_number(row[RESULT], row[ERRNO].decode())
        return self.call(self.pid(row), name_of(row[NAME]), self.arguments_text(row), result)

    def call(self, pid: int, name: str, args: bytes, result: int) -> LoggedArguments:
        """Return the arguments of a call as values."""
        place = self.processes.place(pid)
        path_of = partial(self.processes.path_of, pid)
        return LoggedArguments(name, pid, place.comm, args, result, place.directory, path_of)
