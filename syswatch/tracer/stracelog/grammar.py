"""
The grammar of one line of a log, exact but slow.

All knowledge of how strace writes a line is in this module; `line_format.py` has a faster way to
count plain lines, and must agree with it.
"""

import re
from signal import Signals
from typing import Final, NamedTuple

from syswatch.base.classes import frozen
from syswatch.model.catalog import openers
from syswatch.model.process import describe_ending

from .log_clock import nanoseconds

# All expressions must run in linear time on any input: a part that can begin at many positions
# must fail before the next one.  Repeated groups are possessive, since backtracking into a million
# repetitions would take hundreds of megabytes.
#
# What precedes a call, in this order: PID, time, relative time, number of the call (-n),
# instruction pointer (-i).  A plain number of nine or more digits is a time.
_PREFIX = re.compile(
    rb"(?:\[pid +(?P<bracketed>\d{1,8})(?:<[^>]*>)?\] +|(?P<plain>\d{1,8})(?:<[^>]*>)? +)?"
    rb"(?: *(?P<time>\d\d:\d\d:\d\d(?:\.\d+)?|\d{1,10}\.\d+|\d{9,10}) )?"
    rb"(?: *\(\+ +\d+(?:\.\d+)?\) )?"
    rb"(?:\[ *(?:\d+|\?+)\] )?"
    rb"(?:\[(?:[0-9a-f]{8,16}|\?+)\] )?"
)
CALL_NAME: Final = rb"[a-z_][a-z0-9_]{0,63}"
STRING: Final = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
# What -y adds to a descriptor: strace escapes < and > in paths, but -yy writes sockets as
# <TCP:[127.0.0.1:1->127.0.0.1:2]> and devices as </dev/null<char 1:3>>.  The optional group looks
# ahead before it consumes anything: Python up to 3.11.4 does not go back then (gh-106052).
DECORATION: Final = (
    rb"<[^<>\n-]*+(?:-(?:(?=>[0-9\[])>)?+[^<>\n-]*+)*+(?:<[^<>\n]*>)?>(?:\(deleted\))?"
)
# What precedes a path: the current directory, or, in calls that open files, also the descriptor of
# another one.  In a damaged line, a path may be without, or that of a call that has none.
_CURRENT: Final = rb"(?:AT_FDCWD(?:%s)?|-100), " % DECORATION
_DIRECTORY: Final = rb"-?\d{1,7}(?:%s)?, " % DECORATION
# Calls that open a file, with what may precede the path in their arguments.
OPENS: Final = {
    name.encode(): rb"(?:%s)?" % (rb"%s|%s" % (_CURRENT, _DIRECTORY) if at else _CURRENT)
    for name, at in openers().items()
}
_HEAD = re.compile(rb"(%s)\(" % CALL_NAME)
_RESUMED = re.compile(rb"<\.\.\. (%s) resumed>" % CALL_NAME)
_EXIT = re.compile(
    rb"\+\+\+ (?:exited(?: with (?P<code>\d{1,3}))?|killed(?: by (?P<signal>SIG[A-Z0-9_]{1,16}))?"
    rb"|superseded by execve in pid (?P<successor>\d{1,8}))"
)
# What syswatch itself writes where calls are missing.
# They are those of a thread in a second: longer numbers are none, and no sum could hold them.
_MISSING = re.compile(rb"--- (\d{1,9}) calls missing ---$")
# "???()", complete or in two halves, is a call of which strace does not know the name, because its
# thread was killed.
_OTHER = re.compile(
    rb" > |strace: |\?\?\?\(|<\.\.\. \?\?\? resumed>|--- |\[ Process PID=|%% time |-----"
    # The dumps of "-e write" and "-e read".
    rb"| \| [0-9a-f]{5,} | \* \d+ bytes in buffer | = \d+ buffers in vector \d+$"
    rb"|System call usage summary| ?<unfinished \.\.\.>$| ?<detached \.\.\.>$|[ \d.]+ %s$"
    % CALL_NAME
)
_REFUSAL = re.compile(rb"--- SIGSYS \{si_signo=SIGSYS, si_code=SYS_SECCOMP,")
# strace writes this to standard error, not to a log in a file.
_MODE = re.compile(rb"\[ Process PID=\d{1,8} runs in (32 bit|64 bit|x32) mode\. \]$")
_MODES: Final = {b"32 bit": "i386", b"64 bit": "x86_64", b"x32": "x32"}
# What replaces the rest of a call if strace was interrupted while printing it.
_CUT_OFF = re.compile(
    rb"(?: ?(?:<unfinished \.\.\.>|<detached \.\.\.>|<pid changed to \d+ \.\.\.>"
    rb"|<ptrace\(\w+\):[^<>]*>)|strace: Process \d+ (?:attached|detached))$"
)
UNFINISHED: Final = b" <unfinished ...>"
# Strings, comments and decorations of -y may contain unbalanced parentheses.  A string that was
# cut off extends to the end of the line.
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
    # Of a PID in a namespace, the other one is a comment.
    rb"(?:%s)?(?: /\*[^*\n]{0,64}\*/)?(?: <unavailable>)?)"
    rb"(?: (?P<errno>E[A-Z0-9_]+)(?: \([^()]*\))?| \(errno (?P<number>\d+)\))?"
    rb"(?P<more>(?: \([^()]*(?:\([^()]*\)[^()]*)*\))?)$" % DECORATION
)
# How a plain call ends: with a number, and an errno if it failed.
_NUMBER: Final = rb"\) += (?:-?\d+|0x[0-9a-f]+)(?:%s)?" % DECORATION
_ERRNO_AND_DURATION: Final = rb"(?: (E[A-Z0-9_]+) \([^()\n]*\))?(?: <(\d{1,9}\.\d+)>)?$"
PLAIN_END: Final = _NUMBER + _ERRNO_AND_DURATION
# The same with groups for the result, a decimal one and a hexadecimal one, or empty groups.
ROW_END: Final = _NUMBER + rb"()()" + _ERRNO_AND_DURATION
DETAILED_END: Final = rb"\) += (?:(-?\d+(?:%s)?)|(0x[0-9a-f]+))" % DECORATION + _ERRNO_AND_DURATION
# How the arguments begin: with a string, which may follow the current directory, or the descriptor
# of another one if the call opens a file; or else with a descriptor, or the address of a futex.
FIRST_ARGUMENT: Final = (
    rb"(?:(?:%s)?"
    rb"((?:(?:(?<=openat\()|(?<=openat2\())%s)?%s(?:\.\.\.)?)"
    rb"|((?:\d{1,7}|(?<=futex\()0x[0-9a-f]{1,16})(?:%s)?)(?=[,)]))?"
    % (_CURRENT, _DIRECTORY, STRING, DECORATION)
)
_ENDS_PLAINLY = re.compile(rb".*(?=%s)" % PLAIN_END, re.DOTALL)


@frozen
class LoggedCall:
    """A complete call; times, arguments and result are as strace has written them."""

    pid: int
    time: bytes
    name: str
    args: bytes
    ret: bytes
    errno: str
    duration_ns: int | None
    returned: bool


class UnfinishedCall(NamedTuple):
    """
    The first half of a call.

    It `moves` if its thread gets another PID.
    """

    pid: int
    time: bytes
    name: str
    text: bytes
    moves: bool = False


@frozen
class ResumedCall:
    """The second half of a call."""

    pid: int
    time: bytes
    name: str
    text: bytes


@frozen
class ThreadEnd:
    """A thread ended, or was superseded by `successor`, which called execve."""

    pid: int
    time: bytes
    successor: int | None
    ending: str = ""
    # The exit code, or a negated signal; None if it is unknown.
    code: int | None = None


@frozen
class OtherLine:
    """A line of strace that is not a call: signal, stack, table, message."""

    time: bytes


@frozen
class MissingCalls(OtherLine):
    """A line of syswatch, which dropped so many calls here."""

    count: int
    pid: int = 0


@frozen
class RefusedCall(OtherLine):
    """A seccomp filter has refused the last call by a signal."""

    pid: int = 0


@frozen
class ModeChange(OtherLine):
    """The calls of a process that follow have this architecture."""

    architecture: str
    pid: int = 0


@frozen
class UnknownLine:
    """A line that strace is not known to write."""

    time: bytes = b""


ParsedLine = (
    LoggedCall | UnfinishedCall | ResumedCall | ThreadEnd | MissingCalls | OtherLine | UnknownLine
)


def time_of(line: bytes) -> bytes:
    """Return the time with which a line begins, or nothing."""
    prefix = _PREFIX.match(line)
    return prefix["time"] or b"" if prefix else b""


def parse_line(line: bytes) -> ParsedLine:
    """Parse one line; never raises."""
    # Checked before the prefix, which would take the first column of a table for a time.
    if not line or _OTHER.match(line):
        return _note(0, b"", line)
    prefix = _PREFIX.match(line)
    if prefix is None:
        return UnknownLine()
    pid = int(prefix["bracketed"] or prefix["plain"] or 0)
    time = prefix["time"] or b""
    body = line[prefix.end() :]
    if head := _HEAD.match(body):
        return _parse_call(pid, time, head[1].decode(), body[head.end() :])
    if resumed := _RESUMED.match(body):
        return ResumedCall(pid, time, resumed[1].decode(), body[resumed.end() :])
    if exit_ := _EXIT.match(body):
        successor = int(exit_["successor"] or 0) or None
        return ThreadEnd(pid, time, successor, _ending(exit_), _code(exit_))
    return _parse_other(pid, time, body)


def _parse_other(pid: int, time: bytes, body: bytes) -> OtherLine | UnknownLine:
    if missing := _MISSING.match(body):
        return MissingCalls(time, int(missing[1]), pid)
    return _note(pid, time, body) if _OTHER.match(body) else UnknownLine(time)


def _note(pid: int, time: bytes, body: bytes) -> OtherLine:
    if _REFUSAL.match(body):
        return RefusedCall(time, pid)
    mode = _MODE.match(body)
    return ModeChange(time, _MODES[mode[1]], pid) if mode else OtherLine(time)


def _ending(exit_: re.Match[bytes]) -> str:
    if exit_["code"]:
        return describe_ending(int(exit_["code"]))
    return f"killed by {exit_['signal'].decode()}" if exit_["signal"] else ""


def _code(exit_: re.Match[bytes]) -> int | None:
    if exit_["code"]:
        return int(exit_["code"])
    signal = Signals.__members__.get((exit_["signal"] or b"").decode())
    return None if signal is None else -signal


def opened_path(call: LoggedCall) -> bytes:
    """Return the quoted path that a call opens, or nothing."""
    pattern = _OPENED_PATHS.get(call.name)
    match = pattern.match(call.args) if pattern else None
    return match[1] if match else b""


def unreturned(pid: int, name: str, args: bytes) -> LoggedCall:
    """Return a call that is known to have begun, and not to have returned."""
    return LoggedCall(pid, b"", name, args, b"?", "", None, returned=False)


def join(first: UnfinishedCall | None, second: ResumedCall) -> LoggedCall | None:
    """Join the halves of a call; the first is None if the log begins between them."""
    text = (first.text if first else b"") + second.text
    call = _parse_call(second.pid, second.time, second.name, text)
    return call if isinstance(call, LoggedCall) else None


def _parse_call(
    pid: int, time: bytes, name: str, text: bytes
) -> LoggedCall | UnfinishedCall | UnknownLine:
    """Parse the text after the opening parenthesis."""
    if text.endswith(UNFINISHED):  # The most common case, and quickly tested.
        return UnfinishedCall(pid, time, name, text[: -len(UNFINISHED)])
    call = _whole_call(pid, time, name, text, end_of_arguments(text))
    # Output of the program itself, on the same terminal, may be between the parts of a call.
    if call is None and (plain := _ENDS_PLAINLY.match(text)):
        call = _whole_call(pid, time, name, text, plain.end())
    if call is not None:
        return call
    if cut_off := _CUT_OFF.search(text):
        moves = b"<pid changed" in cut_off[0]
        return UnfinishedCall(pid, time, name, text[: cut_off.start()], moves)
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
    # strace counts a call whose result it could not read, but not one without a result.
    returned = bool(result["value"] != b"?" or errno or ret.endswith(b"<unavailable>"))
    return LoggedCall(
        pid=pid,
        time=time,
        name=name,
        # Of one whose process was killed, it may write on one line that it is unfinished.
        args=args if returned else args.removesuffix(UNFINISHED),
        ret=ret + result["more"],
        errno=errno,
        duration_ns=nanoseconds(duration[1]) if duration else None,
        returned=returned,
    )


def end_of_arguments(text: bytes) -> int | None:
    """Return where the parenthesis is that ends the arguments with which a text begins."""
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
