"""The standard streams, which may be closed, full, or broken pipes."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO, cast

from .text import escape_text

_STDERR = 2


def replace_closed_streams(*, refuse_output: bool = False) -> None:
    """
    Open /dev/null for closed streams: the next file would get their descriptor.

    If output is refused, writing fails with the error of a closed descriptor.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            writes = mode == "w" and not refuse_output
            flags = os.O_CLOEXEC | (os.O_WRONLY if writes else os.O_RDONLY)
            stream = os.fdopen(os.open(os.devnull, flags), mode)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


class _Messages:
    """Where messages are printed: on standard error, unless that is only the command's."""

    descriptor = _STDERR


def print_messages_to(descriptor: int) -> None:
    """Print messages to a descriptor instead of standard error."""
    _Messages.descriptor = descriptor


def print_message(message: str, *further_lines: str) -> None:
    """
    Print a message on stderr, prefixed with the program's name; ignore that it cannot be written.

    The lines are escaped here because a message may quote an argument or a file name.  They bypass
    all buffers: what stays in a buffer would be written again, and fail again, at exit.
    """
    encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
    lines = map(escape_text, (f"syswatch: {message}", *further_lines))
    with suppress(OSError):
        text = "".join(f"{line}\n" for line in lines).encode(encoding, "backslashreplace")
        os.write(_Messages.descriptor, text)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes: a signal can cut a single write to a terminal short."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def write_text(out: TextIO, text: str, encoding: str = "") -> None:
    """Write a whole text, with escapes for what the encoding, or that of the stream, lacks."""
    if isinstance(out, io.TextIOWrapper):
        _write_stream(out, text.encode(encoding or out.encoding, "backslashreplace"))
    else:
        out.write(text)
    out.flush()


def _write_stream(out: io.TextIOWrapper, data: bytes) -> None:
    """Write bytes; an unbuffered stream (`python -u`) drops what a signal keeps it from writing."""
    out.flush()
    while data:
        written = cast(io.RawIOBase, out.buffer).write(data)
        if not written:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        data = data[written:]


def print_output(text: str) -> int:
    """Write a text to standard output; return the exit status."""
    out = sys.__stdout__ or sys.stdout
    try:
        write_text(out, text)
    except OSError as error:
        discard_output(out)
        if isinstance(error, BrokenPipeError):
            return 0
        print_message(f"standard output cannot be written: {error.strerror}")
        return 1
    return 0


def owns_terminal(terminal: int) -> bool:
    """Return whether this process group is in the foreground; OSError if it has no terminal."""
    return os.tcgetpgrp(terminal) == os.getpgrp()


def can_draw(out: TextIO) -> bool:
    """Return whether drawing is safe: a background job would draw over the shell."""
    try:
        return owns_terminal(out.fileno())
    except OSError:  # Not the controlling terminal, so no shell has this process in its background.
        return True


def discard_output(stream: TextIO) -> None:
    """Discard further output to a stream that cannot be written."""
    # The interpreter flushes its buffers at exit, and would report the error again.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
