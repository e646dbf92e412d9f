"""
The limit on open files: a server with thousands of clients needs thousands.

Where it is low it must be shared out, or clients that say nothing keep everybody else away: half of
the files are for those who listen, a quarter for those who have yet to ask for something, and the
rest for ourselves, and for those who come between two turns of the reactor.
"""

import resource
import sys


def open_many_files() -> None:
    """Raise the soft limit to the hard one; what is started before keeps the old one."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_listening(wanted: int) -> int:
    """Return how many clients may listen at once, of those that are wanted."""
    return min(wanted, _most_files() // 2)


def most_waiting(wanted: int) -> int:
    """Return how many connections may be waited for at once, of those that are wanted."""
    return min(wanted, _most_files() // 4)


def _most_files() -> int:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if hard == resource.RLIM_INFINITY else hard
