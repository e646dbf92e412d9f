"""Messages of syswatch itself: one line each on stderr, and in the log of a daemon."""

from twisted.logger import Logger

from syswatch.base.streams import print_message
from syswatch.base.text import inert

_log = Logger()


def announce(message: str) -> None:
    """Print a message on stderr and log it."""
    print_message(message)
    # A daemon has no stderr, only its log.
    _log.info("{message}", message=inert(message))
