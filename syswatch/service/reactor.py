"""The reactor, as this project uses it: handed down from the start, never imported."""

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
    """What a reactor must be able to do."""


def the_reactor() -> Reactor:
    """Return the global reactor; importing it installs one, so only a main program may."""
    from twisted.internet import reactor

    # Twisted goes by the time of day.  When that is set back by an hour, nothing that is to happen
    # later would happen within this hour: no tick, no message of the stream, no timeout.
    cast("Any", reactor).seconds = time.monotonic
    return cast("Reactor", reactor)
