"""Whose log it is: the program that the first execve started."""

import re
from collections.abc import Iterable
from pathlib import PurePath

from syswatch.model.process import ProcessInfo
from syswatch.tracer.text import unquoted

from .grammar import STRING, Call, parse_line

_EXECVE = re.compile(rb"(%s), \[(.*?)\](?:, |$)" % STRING)
_STRING = re.compile(STRING)


def subject(lines: Iterable[bytes], fallback_pid: int) -> ProcessInfo:
    """Return what the beginning of a log tells of the process; it may be nothing."""
    for line in lines:
        call = parse_line(line) if b"execve(" in line else None
        if isinstance(call, Call) and call.returned and not call.errno:
            return _process(call, call.pid or fallback_pid)
    return ProcessInfo(pid=fallback_pid)


def _process(call: Call, pid: int) -> ProcessInfo:
    match = _EXECVE.match(call.args)
    if match is None:
        return ProcessInfo(pid=pid)
    exe = unquoted(match[1][1:-1])
    words = [unquoted(word[0][1:-1]) for word in _STRING.finditer(match[2])]
    return ProcessInfo(pid=pid, comm=PurePath(exe).name, cmdline=" ".join(words), exe=exe)
