"""The running units of concurrency: threads and pending work of the reactor."""

import threading
from collections.abc import Iterator

from twisted.internet.interfaces import IDelayedCall, IReactorFDSet, IReactorTime

from syswatch.base.classes import frozen
from syswatch.views.records import Goroutines

from .allocations import memory_statistics
from .pprof_format import Frame, Stack


@frozen
class ReactorWork:
    """A read-only view of the pending work of a reactor."""

    reactor: IReactorTime

    def delayed(self) -> list[IDelayedCall]:
        """Return the delayed calls."""
        return list(self.reactor.getDelayedCalls())

    def readers(self) -> list[object]:
        """Return the objects that wait for input."""
        return list(self.reactor.getReaders()) if IReactorFDSet.providedBy(self.reactor) else []

    def writers(self) -> list[object]:
        """Return the objects that wait to write."""
        return list(self.reactor.getWriters()) if IReactorFDSet.providedBy(self.reactor) else []

    def pending(self) -> Iterator[tuple[str, object]]:
        """Yield all pending work, each with its kind."""
        yield from (("delayed call", each) for each in self.delayed())
        yield from (("reader", each) for each in self.readers())
        yield from (("writer", each) for each in self.writers())

    def stacks(self) -> Iterator[Stack]:
        """Yield all pending work as stacks: what will be called, above its kind."""
        for kind, each in self.pending():
            yield (_frame(getattr(each, "func", each)), Frame(kind, "", 0))

    def record(self) -> Goroutines:
        """Return the numbers."""
        threads = threading.active_count()
        delayed, readers, writers = len(self.delayed()), len(self.readers()), len(self.writers())
        return Goroutines(
            goroutines=threads + delayed + readers + writers,
            memstats=memory_statistics(),
            threads=threads,
            delayed_calls=delayed,
            readers=readers,
            writers=writers,
        )


def _frame(target: object) -> Frame:
    code = getattr(target, "__code__", None)
    if code is None:  # An object, which may be callable.
        return Frame(type(target).__qualname__, type(target).__module__, 0)
    return Frame(code.co_qualname, code.co_filename, code.co_firstlineno)
