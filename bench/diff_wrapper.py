"""
Runs a command, and does something else before, which is different if a change is asked for.

    python diff_wrapper.py CHANGE PORT COMMAND...

What it does and what the command does is one run.  CHANGE is `none`, or what changes: one more
`call`, `open`, failing `path` or `peer`, or twice the `bytes`.
"""

import contextlib
import os
import signal
import socket
import sys

BYTES = 4096
KNOWN, WRITTEN, MISSING = "settings", "written", "missing.conf"
# Another address of this machine than the one that programs use.
PEER = "127.0.0.3"


def main() -> None:
    """Do what is always done and what is asked for, and become the command."""
    change, port, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    os.getppid()
    if change == "call":
        os.getppid()
    for _ in range(2 if change == "open" else 1):
        os.close(os.open(KNOWN, os.O_RDONLY))
    if change == "path":
        with contextlib.suppress(FileNotFoundError):
            os.open(MISSING, os.O_RDONLY)
    if change == "peer":
        socket.create_connection((PEER, port)).close()
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    written = os.open(WRITTEN, flags, 0o600)
    os.write(written, b"x" * (2 * BYTES if change == "bytes" else BYTES))
    os.close(written)
    # Python ignores it, and so would the command: a shell ends its pipelines by this signal.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execvp(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main()
