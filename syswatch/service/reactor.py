"""The reactor: an argument everywhere, imported only by the main programs."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from twisted.internet.interfaces import (
    IReactorCore,
    IReactorFromThreads,
    IReactorProcess,
    IReactorTCP,
    IReactorTime,
)

_PYOPENSSL = "OpenSSL"


class Reactor(IReactorCore, IReactorFromThreads, IReactorProcess, IReactorTCP, IReactorTime):
    """The interfaces that a reactor must provide."""


def global_reactor() -> Reactor:
    """Return the global reactor; the import installs one, so only a main program may call this."""
    from twisted.internet import reactor

    # Twisted uses the time of day: if the clock is set back by an hour, no delayed call would run
    # for an hour (no tick, no stream message, no timeout).
    cast("Any", reactor).seconds = time.monotonic
    return cast("Reactor", reactor)


@contextmanager
def without_tls() -> Iterator[None]:
    """
    Import Twisted as where pyOpenSSL is not installed, which it is prepared for.

    Its import takes a fifth of the time until a command can start, and 5 MB.
    """
    if _PYOPENSSL in sys.modules:
        yield
        return
    # `None` makes an import fail.
    cast("dict[str, object]", sys.modules)[_PYOPENSSL] = None
    try:
        yield
    finally:
        del sys.modules[_PYOPENSSL]
