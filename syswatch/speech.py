"""Our own words: one line each, on stderr, where a target's output never is."""

import sys

from twisted.logger import Logger

_log = Logger()


def say(message: str) -> None:
    """Say something to the user."""
    # Not sys.stderr: a daemon's logger may stand there.
    out = sys.__stderr__ or sys.stderr
    out.write(f"syswatch: {message}\n")
    out.flush()
    # A daemon has no stderr; its log is all that is left of it.
    _log.info("{message}", message=message)
