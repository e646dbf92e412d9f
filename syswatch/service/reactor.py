"""The reactor, as this project uses it: handed down from the start, never imported."""

from typing import cast

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

    return cast("Reactor", reactor)
