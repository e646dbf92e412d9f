"""The reactor: an argument everywhere, imported only by the main programs."""

import time
from contextlib import AbstractContextManager
from typing import Any, cast

from twisted.internet.interfaces import (
    IReactorCore,
    IReactorFromThreads,
    IReactorProcess,
    IReactorSocket,
    IReactorTCP,
    IReactorTime,
)

from syswatch.base.lazy import without


class Reactor(
    IReactorCore,
    IReactorFromThreads,
    IReactorProcess,
    IReactorSocket,
    IReactorTCP,
    IReactorTime,
):
    """The interfaces that a reactor must provide."""


def global_reactor() -> Reactor:
    """Return the global reactor; the import installs one, so only a main program may call this."""
    from twisted.internet import reactor

    # Twisted uses the time of day: if the clock is set back by an hour, no delayed call would run
    # for an hour (no tick, no stream message, no timeout).
    cast("Any", reactor).seconds = time.monotonic
    return cast("Reactor", reactor)


def without_tls(*, serves: bool) -> AbstractContextManager[None]:
    """
    Import Twisted and asyncio as where there is no OpenSSL, which they are prepared for.

    Importing pyOpenSSL takes a fifth of the time until a command can start, and 5 MB.  A server
    needs the module of the standard library, for Prometheus.
    """
    return without("OpenSSL") if serves else without("OpenSSL", "ssl")
