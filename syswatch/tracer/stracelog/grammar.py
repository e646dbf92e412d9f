"""
The grammar of one log line, exact and slow.

Every fact about how strace writes a line is in this file; `line_format.py` knows a faster way to
count the lines that are plain, and must agree with this one.
"""

import re
from typing import Final

import attrs

from syswatch.model.catalog import openers
from syswatch.model.process import describe_ending

from .clock import nanoseconds

# No expression here may take more than linear time, whatever it is given: where a part can
# begin many times, it must fail before the next place where it could begin.  Repeated groups are
# possessive: to come back to each of a million repetitions would take hundreds of megabytes.
#
# A leader may hold, in this order: pid, time, distance from the line before, number of the
# call (-n), instruction pointer (-i).  A plain number of nine digits and more is a time.
_LEADER = re.compile(
    rb"(?:\[pid +(?P<bracketed>\d{1,8})(?:<[^>]*>)?\] +|(?P<plain>\d{1,8})(?:<[^>]*>)? +)?"
    rb"(?: *(?P<time>\d\d:\d\d:\d\d(?:\.\d+)?|\d{1,10}\.\d+|\d{9,10}) )?"
    rb"(?: *\(\+ +\d+(?:\.\d+)?\) )?"
    rb"(?:\[ *\d+\] )?"
    rb"(?:\[(?:[0-9a-f]{8,16}|\?+)\] )?"
)
NAME: Final = rb"[a-z_][a-z0-9_]{0,63}"
STRING: Final = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
# What -y puts behind a descriptor: strace escapes < and > in paths, but -yy writes sockets as
# <TCP:[127.0.0.1:1->127.0.0.1:2]> and devices as </dev/null<char 1:3>>.
DECORATION: Final = (
    rb"<[^<>\n-]*+(?:-(?:>(?=[0-9\[]))?+[^<>\n-]*+)*+(?:<[^<>\n]*>)?>(?:\(deleted\))?"
)
DIRECTORY: Final = rb"(?:AT_FDCWD|-?\d+)(?:%s)?, " % DECORATION
# What stands before the path in the calls that open a file.
OPENS: Final = {name.encode(): DIRECTORY if at else b"" for name, at in openers().items()}
_HEAD = re.compile(rb"(%s)\(" % NAME)
_RESUMED = re.compile(rb"<\.\.\. (%s) resumed>" % NAME)
_GONE = re.compile(
    rb"\+\+\+ (?:exited(?: with (?P<code>\d{1,3}))?|killed(?: by (?P<signal>SIG[A-Z0-9_]{1,16}))?"
    rb"|superseded by execve in pid (?P<successor>\d{1,8}))"
)
# A call of which strace could not see even the name, because its thread was killed: "???()", whole
# or in two halves.
_NOTE = re.compile(
    rb" > |strace: |\?\?\?\(|<\.\.\. \?\?\? resumed>|--- |\[ Process PID=|%% time |-----"
    rb"|System call usage summary| ?<unfinished \.\.\.>$| ?<detached \.\.\.>$|[ \d.]+ %s$" % NAME
)
# What stands where the rest of a call should: strace was interrupted while printing it.
_CUT_OFF = re.compile(
    rb"(?: ?(?:<unfinished \.\.\.>|<detached \.\.\.>|<pid changed to \d+ \.\.\.>"
    rb"|<ptrace\(\w+\):[^<>]*>)|strace: Process \d+ (?:attached|detached))$"
)
# Strings, comments and the decorations of -y may hold parentheses that close nothing.  A string
# that was cut off goes to the end.
_UNFINISHED: Final = b" <unfinished ...>"
_ARGUMENT_PARTS = re.compile(
    rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+(?:"|\\?$)|/\*[^*\n]{0,256}\*/|(?<=[0-9D])(?!<<)%s|[()]'
    % DECORATION
)
_OPENED_PATHS = {
    name.decode(): re.compile(rb"%s(%s(?:\.\.\.)?)" % (before, STRING))
    for name, before in OPENS.items()
}
_DURATION = re.compile(rb" <(\d{1,9}(?:\.\d+)?)>$")
_RESULT = re.compile(
    rb" *= (?P<ret>(?P<value>\?|-?\d+|0x[0-9a-f]+)"
    rb"(?:%s)?(?: <unavailable>)?)"
    rb"(?: (?P<errno>E[A-Z0-9_]+)(?: \([^()]*\))?| \(errno (?P<number>\d+)\))?"
    rb"(?P<more>(?: \([^()]*(?:\([^()]*\)[^()]*)*\))?)$" % DECORATION
)
# How a plain call ends: with a number, and an errno where it failed.
PLAIN_END: Final = (
    rb"\) += (?:-?\d+|0x[0-9a-f]+)(?:%s)?"
    rb"(?: (E[A-Z0-9_]+) \([^()\n]*\))?(?: <(\d{1,9}\.\d+)>)?$" % DECORATION
)
_ENDS_PLAINLY = re.compile(rb".*(?=%s)" % PLAIN_END, re.DOTALL)


@attrs.frozen
class LoggedCall:
    """A whole call; times are as they are written, arguments and result as printed."""

    pid: int
    time: bytes
    name: str
    args: bytes
    ret: bytes
    errno: str
    duration_ns: int | None
    returned: bool


@attrs.frozen
class UnfinishedCall:
    """
    The first half of a call.

    It is `broken` where strace's own words interrupted it: the rest may be the next line.
    """

    pid: int
    time: bytes
    name: str
    text: bytes
    broken: bool = False


@attrs.frozen
class ResumedCall:
    """The second half of such a call."""

    pid: int
    time: bytes
    name: str
    text: bytes


@attrs.frozen
class ThreadEnd:
    """A thread ended, and how, or gave its place to `successor`, which called execve."""

    pid: int
    time: bytes
    successor: int | None
    ending: str = ""


@attrs.frozen
class OtherLine:
    """A line that strace writes and that is no call: signal, stack, table, its own words."""

    time: bytes


@attrs.frozen
class UnknownLine:
    """A line that strace is not known to write."""

    time: bytes = b""


ParsedLine = LoggedCall | UnfinishedCall | ResumedCall | ThreadEnd | OtherLine | UnknownLine


def time_of(line: bytes) -> bytes:
    """Return the time that a line begins with, if it does."""
    leader = _LEADER.match(line)
    return leader["time"] or b"" if leader else b""


def parse_line(line: bytes) -> ParsedLine:
    """Recognise one line; every line is something, nothing raises."""
    # Before the leader, which would take a table's first column for a time.
    if not line or _NOTE.match(line):
        return OtherLine(b"")
    leader = _LEADER.match(line)
    if leader is None:
        return UnknownLine()
    pid = int(leader["bracketed"] or leader["plain"] or 0)
    time = leader["time"] or b""
    body = line[leader.end() :]
    if head := _HEAD.match(body):
        return _parse_call(pid, time, head[1].decode(), body[head.end() :])
    if resumed := _RESUMED.match(body):
        return ResumedCall(pid, time, resumed[1].decode(), body[resumed.end() :])
    if gone := _GONE.match(body):
        return ThreadEnd(pid, time, int(gone["successor"] or 0) or None, _ending(gone))
    return OtherLine(time) if _NOTE.match(body) else UnknownLine(time)


def _ending(gone: re.Match[bytes]) -> str:
    if gone["code"]:
        return describe_ending(int(gone["code"]))
    return f"killed by {gone['signal'].decode()}" if gone["signal"] else ""


def opened_path(call: LoggedCall) -> bytes:
    """Return the quoted path that a call opens, nothing where it opens none."""
    pattern = _OPENED_PATHS.get(call.name)
    match = pattern.match(call.args) if pattern else None
    return match[1] if match else b""


def join(first: UnfinishedCall | None, second: ResumedCall) -> LoggedCall | None:
    """Make one call of two halves; the first is None where the log begins between them."""
    text = (first.text if first else b"") + second.text
    call = _parse_call(second.pid, second.time, second.name, text)
    return call if isinstance(call, LoggedCall) else None


def _parse_call(
    pid: int, time: bytes, name: str, text: bytes
) -> LoggedCall | UnfinishedCall | UnknownLine:
    """Parse what follows the opening parenthesis."""
    if text.endswith(_UNFINISHED):  # The commonest way not to be whole, and quickly seen.
        return UnfinishedCall(pid, time, name, text[: -len(_UNFINISHED)])
    call = _whole_call(pid, time, name, text, _end_of_arguments(text))
    # Between the parts of a call may stand what the program itself wrote to the same terminal.
    if call is None and (plain := _ENDS_PLAINLY.match(text)):
        call = _whole_call(pid, time, name, text, plain.end())
    if call is not None:
        return call
    if cut_off := _CUT_OFF.search(text):
        broken = cut_off[0].startswith(b"strace")
        return UnfinishedCall(pid, time, name, text[: cut_off.start()], broken)
    return UnknownLine(time)


def _whole_call(
    pid: int, time: bytes, name: str, text: bytes, end: int | None
) -> LoggedCall | None:
    if end is None:
        return None
    duration = _DURATION.search(text, end)
    result = _RESULT.match(text[end + 1 : duration.start() if duration else len(text)])
    return _call(pid, time, name, text[:end], result, duration) if result else None


def _call(  # noqa: PLR0913  the parts of one line
    pid: int,
    time: bytes,
    name: str,
    args: bytes,
    result: re.Match[bytes],
    duration: re.Match[bytes] | None,
) -> LoggedCall:
    errno = (result["errno"] or b"").decode()
    if result["number"]:
        errno = f"ERRNO_{result['number'].decode()}"
    ret = result["ret"]
    return LoggedCall(
        pid=pid,
        time=time,
        name=name,
        args=args,
        ret=ret + result["more"],
        errno=errno,
        duration_ns=nanoseconds(duration[1]) if duration else None,
        # strace counts a call whose result it could not read, but not one without result.
        returned=bool(result["value"] != b"?" or errno or ret.endswith(b"<unavailable>")),
    )


def _end_of_arguments(text: bytes) -> int | None:
    depth = 1
    for part in _ARGUMENT_PARTS.finditer(text):
        token = part[0]
        if token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
            if not depth:
                return part.start()
    return None
