"""Our own words: one line each, on stderr, where a target's output never is."""

from twisted.logger import Logger

from syswatch.base.streams import tell
from syswatch.base.text import inert

_log = Logger()


def say(message: str) -> None:
    """Say something to the user."""
    tell(message)
    # A daemon has no stderr; its log is all that is left of it.
    _log.info("{message}", message=inert(message))
