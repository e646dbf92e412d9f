"""Finds the program of a log in its first successful execve."""

import re
from collections.abc import Iterable
from pathlib import PurePath

from syswatch.model.process import ProcessInfo
from syswatch.tracer.subject import cut_command_line

from .arguments import string_text
from .grammar import STRING, LoggedCall, parse_line

# strace adds an ellipsis to an argument or a list that it cuts.
_ARGUMENT = rb"%s(?:\.\.\.)?" % STRING
_EXECVE = re.compile(rb'(%s), \[((?:%s|[^"\]])*)\]' % (_ARGUMENT, _ARGUMENT))
_ARGUMENTS = re.compile(rb"%s|\.\.\." % _ARGUMENT)


def traced_program(lines: Iterable[bytes], fallback_pid: int) -> ProcessInfo:
    """Return the process of a log whose first lines are given, as far as it is known."""
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
    arguments = map(string_text, _ARGUMENTS.findall(match[2]))
    cmdline = cut_command_line(" ".join(arguments))
    return ProcessInfo(pid=pid, comm=PurePath(exe).name, cmdline=cmdline, exe=exe)
