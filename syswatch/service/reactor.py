"""The reactor: an argument everywhere, imported only by the main programs."""

import time
from typing import Any, cast

from twisted.internet.interfaces import (
    IReactorCore,
    IReactorFromThreads,
    IReactorProcess,
    IReactorTCP,
    IReactorTime,
)


class Reactor(IReactorCore, IReactorFromThreads, IReactorProcess, IReactorTCP, IReactorTime):
    """The interfaces that a reactor must provide."""


def global_reactor() -> Reactor:
    """Return the global reactor; the import installs one, so only a main program may call this."""
    from twisted.internet import reactor

    # Twisted uses the time of day: if the clock is set back by an hour, no delayed call would run
    # for an hour (no tick, no stream message, no timeout).
    cast("Any", reactor).seconds = time.monotonic
    return cast("Reactor", reactor)
