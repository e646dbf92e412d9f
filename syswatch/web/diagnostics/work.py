"""The running units of concurrency: threads, and what waits in the reactor."""

import threading

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorFDSet, IReactorTime

from syswatch.views.records import Goroutines

from .memory import statistics


@attrs.frozen
class ReactorWork:
    """Looks into the reactor without touching it."""

    reactor: IReactorTime

    def delayed(self) -> list[IDelayedCall]:
        """Return the calls that wait for their time."""
        return list(self.reactor.getDelayedCalls())

    def readers(self) -> list[object]:
        """Return what waits for something to read."""
        return list(self.reactor.getReaders()) if IReactorFDSet.providedBy(self.reactor) else []

    def writers(self) -> list[object]:
        """Return what waits for room to write."""
        return list(self.reactor.getWriters()) if IReactorFDSet.providedBy(self.reactor) else []

    def record(self) -> Goroutines:
        """Return the numbers."""
        threads = threading.active_count()
        delayed, readers, writers = len(self.delayed()), len(self.readers()), len(self.writers())
        return Goroutines(
            goroutines=threads + delayed + readers + writers,
            memstats=statistics(),
            threads=threads,
            delayed_calls=delayed,
            readers=readers,
            writers=writers,
        )
