"""What /proc says about the process that is being watched."""

import os
from collections.abc import Callable
from pathlib import Path

import attrs

from syswatch.base.text import inert, shortened
from syswatch.model.process import ProcessInfo

from .identity import comm_of

# A command line may have megabytes, and each answer of the server has it.  So much more is read
# that what is masked is there as a whole before the rest is cut.
_LONGEST_COMMAND_LINE = 4096
_MOST_READ = 16 * _LONGEST_COMMAND_LINE


def describe(pid: int) -> ProcessInfo:
    """Return who a process is; what cannot be read is left empty."""
    return ProcessInfo(
        pid=pid,
        comm=comm_of(pid),
        cmdline=_command_line(pid),
        exe=_link(f"/proc/{pid}/exe"),
        cwd=_link(f"/proc/{pid}/cwd"),
    )


def as_command_line(words: bytes) -> str:
    """Return words that are parted by NULs as one line."""
    return inert(words.removesuffix(b"\0").replace(b"\0", b" "))


def cut_command_line(text: str) -> str:
    """Cut a command line where it is too long to be part of every answer."""
    return shortened(text.encode(), _LONGEST_COMMAND_LINE).decode()


def redacted(process: ProcessInfo, redact: Callable[[str], str]) -> ProcessInfo:
    """Mask what must not leave the tracer, and cut a command line where it is too long."""
    return attrs.evolve(
        process,
        comm=redact(process.comm),
        cmdline=cut_command_line(redact(process.cmdline)),
        exe=redact(process.exe),
        cwd=redact(process.cwd),
    )


def _command_line(pid: int) -> str:
    try:
        with Path(f"/proc/{pid}/cmdline").open("rb") as file:
            words = file.read(_MOST_READ)
    except OSError:
        return ""
    return as_command_line(words)


def _link(path: str) -> str:
    try:
        return inert(os.fsencode(Path(path).readlink()))
    except OSError:
        return ""
