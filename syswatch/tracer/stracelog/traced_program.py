"""Whose log it is: the program that the first execve started."""

import re
from collections.abc import Iterable
from pathlib import PurePath

from syswatch.model.process import ProcessInfo
from syswatch.tracer.subject import cut_command_line

from .grammar import STRING, LoggedCall, parse_line
from .strings import string_text

# strace marks what it has cut, a word or the list, with an ellipsis.
_WORD = rb"%s(?:\.\.\.)?" % STRING
_EXECVE = re.compile(rb'(%s), \[((?:%s|[^"\]])*)\]' % (_WORD, _WORD))
_WORDS = re.compile(rb"%s|\.\.\." % _WORD)


def traced_program(lines: Iterable[bytes], fallback_pid: int) -> ProcessInfo:
    """Return what the beginning of a log tells of the process; it may be nothing."""
    for line in lines:
        call = parse_line(line) if b"execve(" in line else None
        if isinstance(call, LoggedCall) and call.returned and not call.errno:
            return _process(call, call.pid or fallback_pid)
    return ProcessInfo(pid=fallback_pid)


def _process(call: LoggedCall, pid: int) -> ProcessInfo:
    match = _EXECVE.match(call.args)
    if match is None:
        return ProcessInfo(pid=pid)
    exe = string_text(match[1])
    words = map(string_text, _WORDS.findall(match[2]))
    cmdline = cut_command_line(" ".join(words))
    return ProcessInfo(pid=pid, comm=PurePath(exe).name, cmdline=cmdline, exe=exe)
