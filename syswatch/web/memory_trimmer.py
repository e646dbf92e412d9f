"""Release of memory after many stream clients have disconnected."""

import gc
from collections.abc import Callable

import attrs
from twisted.internet.interfaces import IReactorTime

from syswatch.base.classes import define
from syswatch.machine.memory import release_freed_memory

# They used some 9 MB; for fewer clients, the pause is not worth it.
CLIENTS_PER_TRIM = 1000
# Clients often disconnect in large numbers at once; one trim serves them all.
_BATCH_S = 1.0


def trim_memory() -> None:
    """
    Return free memory to the kernel, which takes some 50 ms.

    The C allocator would keep it, and so would the interpreter's free lists: a few of their objects
    are enough to keep a megabyte each.
    """
    gc.collect()
    release_freed_memory()


@define
class MemoryTrimmer:
    """Batches disconnects and trims memory once per batch."""

    _clock: IReactorTime
    _trim: Callable[[], None] = trim_memory
    _clients: int = attrs.field(default=0, init=False)
    _peak: int = attrs.field(default=0, init=False)
    _is_scheduled: bool = attrs.field(default=False, init=False)

    def client_count_changed(self, clients: int) -> None:
        """Record the number of clients; schedule a trim once enough have disconnected."""
        self._clients = clients
        self._peak = max(self._peak, clients)
        if self._peak - clients >= CLIENTS_PER_TRIM and not self._is_scheduled:
            self._is_scheduled = True
            self._clock.callLater(_BATCH_S, self._trim_now)

    def _trim_now(self) -> None:
        self._is_scheduled = False
        self._peak = self._clients
        self._trim()
