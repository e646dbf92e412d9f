"""The running units of concurrency: threads, and what waits in the reactor."""

import threading
from collections.abc import Iterator

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorFDSet, IReactorTime

from syswatch.views.records import Goroutines

from .memory import statistics
from .protobuf import Frame, Stack


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

    def waiting(self) -> Iterator[tuple[str, object]]:
        """Yield all of it, with the kind of each."""
        yield from (("delayed call", each) for each in self.delayed())
        yield from (("reader", each) for each in self.readers())
        yield from (("writer", each) for each in self.writers())

    def stacks(self) -> Iterator[Stack]:
        """Yield it as stacks: what will be called or told, from the kind of its waiting."""
        for kind, each in self.waiting():
            yield (_frame(getattr(each, "func", each)), Frame(kind, "", 0))

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


def _frame(what: object) -> Frame:
    code = getattr(what, "__code__", None)
    if code is None:  # An object, be it one that can be called.
        return Frame(type(what).__qualname__, type(what).__module__, 0)
    return Frame(code.co_qualname, code.co_filename, code.co_firstlineno)
