"""Our own words: one line each, on stderr, where a target's output never is."""

import sys


def say(message: str) -> None:
    """Say something to the user."""
    # Not sys.stderr: a daemon's logger may stand there.
    out = sys.__stderr__ or sys.stderr
    out.write(f"syswatch: {message}\n")
    out.flush()
