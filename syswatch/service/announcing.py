"""Messages for the user: one line each on stderr, because stdout belongs to the target."""

from twisted.logger import Logger

from syswatch.base.streams import print_message
from syswatch.base.text import escape_text

_log = Logger()


def announce(message: str) -> None:
    """Print a message for the user, and log it: a daemon has no stderr."""
    print_message(message)
    _log.info("{message}", message=escape_text(message))
