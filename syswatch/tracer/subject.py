"""The identity and the description of the processes that are traced."""

import os
from collections.abc import Callable

import attrs

from syswatch.base.text import escape_text, shortened
from syswatch.machine.proc import Identity, comm_of, identify, read_command_line, read_link
from syswatch.model.process import ProcessInfo

from .errors import AttachError

# A command line may have megabytes, and is part of each answer of the server.  More is read than
# is kept, so that secrets are masked as a whole before the rest is cut.
_LONGEST_COMMAND_LINE = 4096
_MOST_READ = 16 * _LONGEST_COMMAND_LINE
ZOMBIE = "it has ended and is a zombie"


def identify_target(number: int) -> Identity:
    """Return the process to attach to; an AttachError if there is none."""
    identity = identify(number)
    if identity is None:
        raise AttachError(f"no such process: {number}")
    if identity.pid == os.getpid():
        raise AttachError("the tracer cannot trace itself")
    return identity


def cannot_trace(identity: Identity, why: str) -> str:
    """Return the message that a process cannot be traced."""
    return f"cannot trace process {identity.pid} ({identity.comm}): {why}"


def describe(pid: int) -> ProcessInfo:
    """Return a description of a process; what cannot be read is empty."""
    return ProcessInfo(
        pid=pid,
        comm=comm_of(pid),
        cmdline=_command_line_of(pid),
        exe=escape_text(read_link(pid, "exe")),
        cwd=escape_text(read_link(pid, "cwd")),
    )


def command_line_of(pid: int, redact: Callable[[str], str]) -> str:
    """Return the command line of a process as it may be shown."""
    return cut_command_line(redact(_command_line_of(pid)))


def as_command_line(arguments: bytes) -> str:
    """Return arguments that are separated by NULs as one line."""
    return escape_text(arguments.removesuffix(b"\0").replace(b"\0", b" "))


def _command_line_of(pid: int) -> str:
    return as_command_line(read_command_line(pid, _MOST_READ))


def cut_command_line(text: str) -> str:
    """Cut a command line that is too long for every answer of the server."""
    return shortened(text.encode(), _LONGEST_COMMAND_LINE).decode()


def redacted(process: ProcessInfo, redact: Callable[[str], str]) -> ProcessInfo:
    """Mask secrets, and cut a command line that is too long."""
    return attrs.evolve(
        process,
        comm=redact(process.comm),
        cmdline=cut_command_line(redact(process.cmdline)),
        exe=redact(process.exe),
        cwd=redact(process.cwd),
    )
