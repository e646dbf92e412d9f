"""The processes of a log for the recorder: their parents, their commands and how they ended."""

import re
from collections.abc import Iterable
from operator import itemgetter

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text, unescaped
from syswatch.codec.event_frames import Life
from syswatch.codec.log_calls import LogCalls, LogLife

from .arguments import split
from .clones_in_progress import CLONES
from .grammar import STRING, LoggedCall, ThreadEnd
from .log_filter import LogFilter
from .log_numbers import whole_number
from .logged_arguments import leading_number

EXECUTES = {"execve": 0, "execveat": 1}
_STRING = re.compile(rb"(%s)(\.\.\.)?" % STRING)


def life_of_call(
    call: LoggedCall, pid: int, start_ns: int | None, line: int, view: LogFilter
) -> LogLife | None:
    """Return what a call tells about a process, if anything."""
    if call.errno or not call.returned:
        return None
    end_ns = None if start_ns is None else start_ns + (call.duration_ns or 0)
    if call.name in CLONES:
        # A damaged line may have anything there.
        child = whole_number(leading_number(call.ret).partition(b"<")[0])
        return LogLife(line, child, end_ns, parent=pid) if child > 0 else None
    if call.name not in EXECUTES:
        return None
    path, words = _executed(call)
    command = view.redact(escape_text(path.rpartition(b"/")[2]))
    shown = view.redact(escape_text(b" ".join(words))) if view.options.read_arguments else ""
    return LogLife(line, pid, end_ns, command=command, command_line=shown)


def life_of_end(line: ThreadEnd, pid: int, at_ns: int | None, number: int) -> LogLife | None:
    """Return what a line about the end of a thread tells, unless another one takes its place."""
    if line.successor is not None:
        return None
    return LogLife(number, pid, at_ns, code=line.code, ended=True)


def _executed(call: LoggedCall) -> tuple[bytes, list[bytes]]:
    """Return the path and the arguments of a program."""
    at = EXECUTES[call.name]
    arguments = list(split(call.args))[at : at + 2]
    path, *words = [_strings(each) for each in arguments] or [[]]
    return b"".join(path), words[0] if words else []


def _strings(text: bytes) -> list[bytes]:
    """Return the strings in a text; an ellipsis shows that strace has cut one."""
    return [unescaped(string[1:-1]) + ellipsis for string, ellipsis in _STRING.findall(text)]


@define
class LogLives:
    """Joins what the lines of a log tell, in their order."""

    # The processes that have not ended.
    _alive: dict[int, Life] = attrs.field(factory=dict, init=False)
    _known: set[int] = attrs.field(factory=set, init=False)
    _seen: set[int] = attrs.field(factory=set, init=False)

    def add(self, calls: LogCalls) -> list[Life]:
        """Add the next lines; return the processes that have ended."""
        for columns in calls.columns:
            self._seen.update(columns.different_pids)
        self._seen.update(call.pid for call in calls.calls)
        return [
            life for each in sorted(calls.lives, key=itemgetter(0)) for life in self._note(each)
        ]

    def rest(self) -> list[Life]:
        """Return the processes that have not ended."""
        unknown = self._seen - self._known
        return [*self._alive.values(), *(Life(pid, None, 0, "", "") for pid in sorted(unknown))]

    def _note(self, event: LogLife) -> Iterable[Life]:
        life = self._alive.get(event.pid) or Life(event.pid, None, 0, "", "")
        self._known.add(event.pid)
        if event.ended:
            self._alive.pop(event.pid, None)
            code = event.code
            return (
                life._replace(
                    end_ns=event.at_ns,
                    exit_code=code if code is not None and code >= 0 else None,
                    exit_signal=-code if code is not None and code < 0 else None,
                ),
            )
        if event.parent:
            parent = self._alive.get(event.parent)
            life = life._replace(
                start_ns=event.at_ns,
                parent=event.parent,
                command=life.command or (parent.command if parent else ""),
                command_line=life.command_line or (parent.command_line if parent else ""),
            )
        else:
            life = life._replace(command=event.command, command_line=event.command_line)
        self._alive[event.pid] = life
        return ()
