"""
The limit on open files, which is shared out between kinds of connections.

With a low limit, idle clients could otherwise keep everybody else out: stream clients get half of
the descriptors, connections that wait for their client a quarter.  The rest is for the server
itself and for connections that are accepted within one turn of the reactor.
"""

import resource
import sys


def raise_open_files_limit() -> None:
    """Raise the soft limit to the hard one; processes started before keep the old limit."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def max_stream_clients(wanted: int) -> int:
    """Return how many of the wanted stream clients the limit permits."""
    return min(wanted, _hard_limit() // 2)


def max_pending_connections(wanted: int) -> int:
    """Return how many of the wanted pending connections the limit permits."""
    return min(wanted, _hard_limit() // 4)


def _hard_limit() -> int:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if hard == resource.RLIM_INFINITY else hard
