"""
The stream: the table of system calls, once a second, to everybody who listens.

A message is encoded and framed once a tick and shared by all clients.  A client that does
not read fills first the kernel's buffers and then ours; from then on it is passed over, and
dropped when it does not catch up.  So what waits for a client is bounded by its send buffer,
Twisted's high-water mark and one message.
"""

from collections.abc import Callable
from typing import Any

import attrs
from autobahn.twisted.resource import WebSocketResource
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.web.resource import IResource

from syswatch.service.open_files import max_stream_clients
from syswatch.views import shapes

from .answers import Tick
from .memory_trimmer import MemoryTrimmer
from .stream_client import StreamFactory, StreamProtocol, forget

INTERVAL_S = 1.0
# A browser tab that is put to sleep for less than this comes back to a live stream.
_PATIENCE_TICKS = 15
# Together with what a tracer has to detach, this is less than the two seconds a stop may take.
_FAREWELL_S = 0.5


@attrs.define(slots=False, eq=False)
class Stream:
    """Knows the clients and sends to them."""

    _tick: Tick
    _reactor: IReactorTime
    most_clients: int
    dropped: int = attrs.field(default=0, init=False)
    _closing: bool = attrs.field(default=False, init=False)
    _clients: set[StreamProtocol] = attrs.field(factory=set, init=False)
    _factory: StreamFactory = attrs.field(init=False)
    _sending: LoopingCall = attrs.field(init=False)
    _trimmer: MemoryTrimmer = attrs.field(init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Get ready; nothing runs before the first client."""
        self._factory = StreamFactory(self, self._reactor)
        self._sending = LoopingCall(self._send)
        self._sending.clock = self._reactor
        self._trimmer = MemoryTrimmer(self._reactor)

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return len(self._clients)

    @property
    def room(self) -> int:
        """How many clients there may be, which is fewer where few files may be open."""
        return max_stream_clients(self.most_clients)

    @property
    def is_full(self) -> bool:
        """Return whether one more client is one too many."""
        return self.clients >= self.room

    def upgrade(self) -> IResource:
        """Return the resource that takes over a connection."""
        return WebSocketResource(self._factory)

    def later(self, seconds: float, call: Callable[[], None]) -> IDelayedCall:
        """Plan a call."""
        return self._reactor.callLater(seconds, call)

    def join(self, client: StreamProtocol) -> None:
        """Send to a client from now on."""
        self._clients.add(client)
        self._trimmer.client_count_changed(self.clients)
        if self._closing:
            client.leave_alone()
            return
        client.offer(self._message())
        if not self._sending.running:
            self._sending.start(INTERVAL_S, now=False)

    def leave(self, client: StreamProtocol) -> None:
        """Send to a client no more."""
        self._clients.discard(client)
        self._trimmer.client_count_changed(self.clients)
        if not self._clients and self._sending.running:
            self._sending.stop()

    def close(self) -> Deferred[Any]:
        """Close all connections; fire when they are closed, by the clients or after a timeout."""
        self._closing = True
        clients = tuple(self._clients)
        for client in clients:
            client.leave_alone()
        gone = DeferredList([client.gone for client in clients])
        if clients:
            patience = self._reactor.callLater(_FAREWELL_S, self._abandon)
            gone.addCallback(lambda _: forget(patience))
        return gone

    def _abandon(self) -> None:
        self._log.info("{clients} clients did not answer the good-bye", clients=self.clients)
        for client in tuple(self._clients):
            client.transport.abortConnection()

    def _message(self) -> Any:
        return self._factory.prepareMessage(self._tick.json(shapes.stats).body)

    def _send(self) -> None:
        message = self._message()
        for client in tuple(self._clients):
            client.offer(message)
        stalled = [client for client in self._clients if client.behind >= _PATIENCE_TICKS]
        for client in stalled:
            client.transport.abortConnection()
        if stalled:
            self.dropped += len(stalled)
            # A line a tick, however many there are.
            self._log.info("clients that do not read were dropped: {count}", count=len(stalled))
