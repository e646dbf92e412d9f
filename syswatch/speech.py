"""Our own words: one line each, on stderr, where a target's output never is."""

import os
import sys
from typing import TextIO

from twisted.logger import Logger

_log = Logger()


def say(message: str) -> None:
    """Say something to the user."""
    # Not sys.stderr: a daemon's logger may stand there.
    out = sys.__stderr__ or sys.stderr
    try:
        out.write(f"syswatch: {message}\n")
        out.flush()
    except OSError:
        abandon(out)  # A terminal that is gone: there is nobody to tell, and still work to end.
    # A daemon has no stderr; its log is all that is left of it.
    _log.info("{message}", message=message)


def abandon(stream: TextIO) -> None:
    """Write to a stream no more: whoever read it has read enough, which is no error."""
    # The interpreter flushes at its end what is left, and would complain about the closed pipe.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
