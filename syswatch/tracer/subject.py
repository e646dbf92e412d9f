"""What /proc says about the process that is being watched."""

import os
from collections.abc import Callable
from pathlib import Path

import attrs

from syswatch.model.process import ProcessInfo

from .identity import comm_of
from .text import printable

# A command line may have megabytes, and each answer of the server has it.
_LONGEST_COMMAND_LINE = 4096


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
    """Return words that are parted by NULs as one line, cut where it is too long."""
    if len(words) > _LONGEST_COMMAND_LINE:
        words = words[:_LONGEST_COMMAND_LINE] + "…".encode()
    return printable(words.removesuffix(b"\0").replace(b"\0", b" "))


def redacted(process: ProcessInfo, redact: Callable[[str], str]) -> ProcessInfo:
    """Mask what must not leave the tracer; a secret may be a word of the command line."""
    return attrs.evolve(
        process,
        comm=redact(process.comm),
        cmdline=redact(process.cmdline),
        exe=redact(process.exe),
        cwd=redact(process.cwd),
    )


def _command_line(pid: int) -> str:
    try:
        with Path(f"/proc/{pid}/cmdline").open("rb") as file:
            words = file.read(_LONGEST_COMMAND_LINE + 1)
    except OSError:
        return ""
    return as_command_line(words)


def _link(path: str) -> str:
    try:
        return printable(os.fsencode(Path(path).readlink()))
    except OSError:
        return ""
