"""The stream while it has no clients: Autobahn is imported for the first one."""

from typing import TYPE_CHECKING, Any

import attrs
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.web.resource import IResource

from syswatch.base.classes import define
from syswatch.service.open_files import max_stream_clients

from .responses import ResponseCache

if TYPE_CHECKING:
    from .stream import Stream


@define(slots=False, eq=False)
class StreamOnDemand:
    """
    A stream that is created for its first client.

    Importing Autobahn takes a fifth of the time until a server answers, and some megabytes.
    """

    _cache: ResponseCache
    _reactor: IReactorTime
    max_clients: int
    _stream: "Stream | None" = attrs.field(default=None, init=False)
    _is_closed: bool = attrs.field(default=False, init=False)

    @property
    def clients(self) -> int:
        """The number of connected clients."""
        return 0 if self._stream is None else self._stream.clients

    @property
    def dropped(self) -> int:
        """The number of clients that were dropped because they did not read."""
        return 0 if self._stream is None else self._stream.dropped

    @property
    def capacity(self) -> int:
        """The number of clients that may connect, reduced by the limit on open files."""
        return max_stream_clients(self.max_clients)

    @property
    def is_full(self) -> bool:
        """Return whether the maximum number of clients is connected."""
        return self.clients >= self.capacity

    @property
    def stream(self) -> "Stream":
        """The stream, which is created if there is none."""
        if self._stream is None:
            from .stream import Stream

            self._stream = Stream(self._cache, self._reactor)
            if self._is_closed:
                self._stream.close()
        return self._stream

    def upgrade(self) -> IResource:
        """Return the resource that takes over a connection."""
        return self.stream.upgrade()

    def close(self) -> Deferred[Any]:
        """Close all connections; fire when the clients have closed theirs, or after a timeout."""
        self._is_closed = True
        return succeed(None) if self._stream is None else self._stream.close()
