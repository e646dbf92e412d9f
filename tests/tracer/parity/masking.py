"""Mask what differs in each run of a program."""

import re
from collections.abc import Mapping

_ERROR = re.compile(r"( = (?:-1|\?) E[A-Z0-9_]+) \(.*\)$")
_MASKS = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"0x[0-9a-f]{6,}", "ADDRESS"),
        (r"\{tv_sec=\d{9,}, tv_([nu])sec=\d+\}", r"{TIME_\1}"),
        (r"/\* 20\d\d-\d\d-\d\dT[^*]*\*/", "/* DATE */"),
        (r"\b(left|[rs][ui]_[us]time=)( ?)\{?[^,}]*(?:, tv_[nu]sec=\d+)?\}?", r"\1\2TIME"),
        (r"htons\(\d{5}\)", "htons(PORT)"),
        (r"((?:pipe|socket|anon_inode):)\[\d+\]", r"\1[INODE]"),
        (r"\b([rt]x_(?:packets|bytes))=\d+", r"\1=NUMBER"),
        # Temporary files of git, of compilers and of shells.
        (r"(tmp_obj_|/tmp/cc|/sh-thd\.)\w{6,}", r"\1TEMPORARY"),
        (r"(f_b?(?:free|avail|ffree)|nlmsg_seq|nlmsg_pid|nl_pid)=-?\d{3,}", r"\1=NUMBER"),
    )
)
# Calls with results that are never the same.
_CLOCKS = ("clock_gettime(", "getrusage(", "gettimeofday(", "sysinfo(", "time(", "times(")
_RANDOM = "getrandom("
_NUMBER = re.compile(r"\b\d+\b")
_NUMBER_AND_SECONDS = re.compile(r"\b\d+\b(?: /\* [\d.]+ s \*/)?")
_QUOTED = re.compile(r'"[^"]*"')


def masked(line: str, threads: Mapping[int, str]) -> str:
    """Return a line that is the same in each run; `threads` are the known thread IDs."""
    line = _ERROR.sub(r"\1", line)
    if line.startswith(_CLOCKS):
        line = _NUMBER_AND_SECONDS.sub("N", line)
    elif line.startswith(_RANDOM):
        line = _QUOTED.sub('"RANDOM"', line)
    for pattern, text in _MASKS:
        line = pattern.sub(text, line)
    return _NUMBER.sub(lambda match: threads.get(int(match[0]), match[0]), line)
