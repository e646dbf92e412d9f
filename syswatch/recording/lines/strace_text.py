"""
Lines as `strace -f -ttt -T -o FILE` writes them.

Two details differ: durations have nine digits (as with `--syscall-times=ns`), because many calls
take less than a microsecond, and calls that are missing have a line of their own, in the form of a
signal, which readers of such logs skip: `1234  1700000000.000000 --- 17 calls missing ---`.
"""

import os
from functools import lru_cache
from typing import Final

from syswatch.model.errnos import NAMES
from syswatch.model.times import SECOND_NS
from syswatch.recording.exits import is_exit
from syswatch.tracer.decode.names_signals import signal_name

_MICROSECOND_NS: Final = 1000
# Results are aligned at this column.
_RESULT_COLUMN: Final = 40
# How the kernel restarts a call after a signal; the C library has no messages for these.
_RESTARTS: Final = {
    "ERESTARTSYS": "To be restarted if SA_RESTART is set",
    "ERESTARTNOINTR": "To be restarted",
    "ERESTARTNOHAND": "To be restarted if no handler",
    "ERESTART_RESTARTBLOCK": "Interrupted by signal",
}
# Calls of the other interfaces of a 64-bit kernel follow such a line.
_MODES: Final = {"i386": "32 bit", "x32": "x32", "x86_64": "64 bit", "arm": "32 bit"}


def call_line(  # noqa: PLR0913  the parts of a line
    tid: int, start_ns: int, name: str, arguments: str, result: str, duration_ns: int
) -> str:
    """Return the line of a call that returned; `result` has the error, too (see `failure`)."""
    seconds, fraction = divmod(duration_ns, SECOND_NS)
    line = untimed_line(tid, start_ns, name, arguments, result)
    return f"{line} <{seconds}.{fraction:09}>"


def untimed_line(tid: int, start_ns: int, name: str, arguments: str, result: str) -> str:
    """Return the line of a call that began before the trace, so that its duration is unknown."""
    begin = f"{tid:<5} {_time(start_ns)} {name}({arguments}) "
    return f"{begin:<{_RESULT_COLUMN}}= {result}"


def unfinished_line(tid: int, start_ns: int, name: str, arguments: str) -> str:
    """Return the line of a call that has not returned."""
    begin = f"{tid:<5} {_time(start_ns)} {name}({arguments}"
    if is_exit(name):
        return f"{begin + ') ':<{_RESULT_COLUMN}}= ?"
    return f"{begin} <unfinished ...>"


@lru_cache(maxsize=4096)
def failure(result: int) -> str:
    """Return the result of a call that failed with a negated errno."""
    name = NAMES.get(-result)
    if name in _RESTARTS:
        return f"? {name} ({_RESTARTS[name]})"
    return f"-1 {name} ({os.strerror(-result)})" if name else f"-1 (errno {-result})"


def ending_line(pid: int, time_ns: int, exit_code: int | None, exit_signal: int | None) -> str:
    """Return the line about the end of a process."""
    begin = f"{pid:<5} {_time(time_ns)} +++"
    if exit_signal:
        return f"{begin} killed by {signal_name(exit_signal)} +++"
    return f"{begin} exited with {exit_code or 0} +++"


def loss_line(tid: int, time_ns: int, calls: int) -> str:
    """Return the line that marks where calls are missing; the thread is 0 if it is unknown."""
    return f"{tid:<5} {_time(time_ns)} --- {calls} calls missing ---"


def mode_line(tid: int, time_ns: int, architecture: str) -> str:
    """Return the line after which the calls of a thread are those of another architecture."""
    mode = _MODES.get(architecture, "64 bit")
    return f"{tid:<5} {_time(time_ns)} [ Process PID={tid} runs in {mode} mode. ]"


def _time(time_ns: int) -> str:
    seconds, fraction = divmod(time_ns // _MICROSECOND_NS, SECOND_NS // _MICROSECOND_NS)
    return f"{seconds}.{fraction:06}"
