"""
The keeper: `python -m syswatch.terminal.restorer PIPE FILE… MODES`, a process that outlives us.

While the UI is shown, what the command writes goes into a pipe, and the kernel kills who writes
into a pipe that nobody holds the other end of.  The command may go on when we have left, or have
been killed, so the keeper holds that end as well.  It does nothing until its standard input ends:
that is when we are gone.  Then it puts the terminal in order, if we could not, prints what we had
not printed yet, and passes on what the command writes until the last writer is gone.
"""

import ast
import os
import signal
import sys
import termios
from contextlib import suppress

_IN, _OUT = 0, 1
_BLOCK = 1 << 16
# What we say as soon as the terminal is in order.
WHOLE = b"."
# What a terminal was told for the UI, undone: synchronised drawing, paste and size reports, wide
# lines, the keyboard protocol, mouse, the other screen, the cursor, focus reports, colours.
_UNDO = (
    b"\x1b[?2026l\x1b[?2004l\x1b[?2048l\x1b[?7h\x1b[<u\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
    b"\x1b[?1016l\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
# Nothing but the end of its work ends it: whoever means the command does not mean this.
_IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP)


def main() -> None:
    """Wait for the end of those who started it, then do what is left to do."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    pipe, *held = map(int, sys.argv[1:-1])
    said = b""
    while word := os.read(_IN, _BLOCK):
        said += word
    if said != WHOLE:
        _restore(ast.literal_eval(sys.argv[-1]))
    for descriptor in held:
        os.lseek(descriptor, 0, os.SEEK_SET)
        _pass_on(descriptor)
        os.close(descriptor)
    os.set_blocking(pipe, True)
    _pass_on(pipe)


def _restore(modes: list[int | list[bytes | int]] | None) -> None:
    # The terminal may be gone, too.  What is seen comes last: who sees it finds all in order.
    with suppress(termios.error):
        if modes is not None:
            termios.tcsetattr(_OUT, termios.TCSANOW, modes)
    with suppress(OSError):
        os.write(_OUT, _UNDO)


def _pass_on(descriptor: int) -> None:
    """Copy to the end; where nobody can read any more, the command goes on all the same."""
    is_read = True
    while data := os.read(descriptor, _BLOCK):
        rest = memoryview(data)
        while rest and is_read:
            try:
                rest = rest[os.write(_OUT, rest) :]
            except OSError:
                is_read = False


if __name__ == "__main__":
    main()
