"""
The restorer: `python -m syswatch.terminal.restorer PIPE FILE… MODES`.

A small process that outlives syswatch.  While the UI is shown, the command writes into a pipe, and
the kernel would kill it with SIGPIPE if the read end closed.  The command may go on after syswatch
has exited or was killed, so the restorer holds the read end as well.

It waits until its standard input ends, that is, until syswatch is gone.  Then it restores the
terminal unless syswatch did, prints the FILEs (output not printed yet), and copies what the command
still writes until the last writer closes the pipe.
"""

import ast
import os
import signal
import sys
import termios
from contextlib import suppress

_IN, _OUT = 0, 1
_BLOCK = 1 << 16
# Sent by syswatch as soon as it has restored the terminal itself.
RESTORED = b"."
# Undoes the modes that the UI sets: synchronized output, bracketed paste, in-band resize reports,
# no line wrap, kitty keyboard protocol, mouse, alternate screen, cursor, focus reports, colours.
_RESET_SEQUENCES = (
    b"\x1b[?2026l\x1b[?2004l\x1b[?2048l\x1b[?7h\x1b[<u\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
    b"\x1b[?1016l\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
# Signals from the terminal or a shell are meant for the command.
_IGNORED_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP)


def main() -> None:
    """Wait for syswatch to end, restore the terminal, and copy the remaining output."""
    for number in _IGNORED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    pipe, *files = map(int, sys.argv[1:-1])
    received = b""
    while data := os.read(_IN, _BLOCK):
        received += data
    if received != RESTORED:
        _restore_terminal(ast.literal_eval(sys.argv[-1]))
    for descriptor in files:
        os.lseek(descriptor, 0, os.SEEK_SET)
        _copy_to_stdout(descriptor)
        os.close(descriptor)
    os.set_blocking(pipe, True)
    _copy_to_stdout(pipe)


def _restore_terminal(modes: list[int | list[bytes | int]] | None) -> None:
    # The terminal may be gone, too.  The visible part comes last: once the UI has disappeared,
    # everything is restored.
    with suppress(termios.error):
        if modes is not None:
            termios.tcsetattr(_OUT, termios.TCSANOW, modes)
    with suppress(OSError):
        os.write(_OUT, _RESET_SEQUENCES)


def _copy_to_stdout(descriptor: int) -> None:
    """Copy to the end; keep reading when the output is gone, so that the writer can go on."""
    can_write = True
    while data := os.read(descriptor, _BLOCK):
        rest = memoryview(data)
        while rest and can_write:
            try:
                rest = rest[os.write(_OUT, rest) :]
            except OSError:
                can_write = False


if __name__ == "__main__":
    main()
