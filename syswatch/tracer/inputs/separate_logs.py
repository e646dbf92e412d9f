"""The logs that `strace -ff` writes: one for each process, with the PID as the suffix."""

import re
from collections.abc import Iterable
from functools import lru_cache

from syswatch.tracer.stracelog.log_clock import first_midnight, is_relative, time_since_epoch

from .input_file import InputError, InputFile
from .remote import is_remote

_PID_SUFFIX = re.compile(r"\.(\d{1,8})(?:\.gz|\.zst)?$")


def pid_of(name: str) -> int:
    """Return the PID that is the suffix of a log, 0 if there is none."""
    suffix = _PID_SUFFIX.search(name)
    return int(suffix[1]) if suffix else 0


def end_of_trace(name: str, names: Iterable[str]) -> int:
    """
    Return the last time in those of some logs that are of the same trace, as far as it is known.

    The log of a process that hangs ends when the call begins in which it hangs.
    """
    suffix = _PID_SUFFIX.search(name)
    if suffix is None:
        return 0
    prefix = name[: suffix.start()]
    return _last_time(tuple(each for each in names if _PID_SUFFIX.sub("", each) == prefix))


# The logs of many processes that hang have the same end.
@lru_cache(maxsize=4)
def _last_time(names: tuple[str, ...]) -> int:
    return max(map(_last_time_in, names), default=0)


def _last_time_in(name: str) -> int:
    if is_remote(name):
        return 0  # Reading the ends of files that are far away may take longer than the rest.
    try:
        with InputFile.open(name) as file:
            _, last = file.first_and_last_time()
            origin_s = first_midnight(last, last, file.modified_s)
    except InputError:
        return 0
    return 0 if not last or is_relative(last) else time_since_epoch(last, origin_s) or 0
