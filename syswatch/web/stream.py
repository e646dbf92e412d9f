"""
The stream: pushes the statistics of all system calls to WebSocket clients, once a second.

A message is encoded and framed once and shared by all clients.  A ping is sent with a message, and
each tick pings a part of the clients.  A client that does not read fills
the kernel's buffers and then Twisted's; from then on messages to it are skipped, and it is dropped
if it does not catch up.  So what is buffered for a client is bounded by its send buffer, Twisted's
high-water mark and one message.
"""

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import attrs
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import Cooperator, LoopingCall
from twisted.logger import Logger
from twisted.web.resource import IResource

from syswatch.base.classes import define
from syswatch.views import record_builders

from .autobahn_classes import WebSocketResource
from .memory_trimmer import MemoryTrimmer
from .responses import ResponseCache
from .stream_client import (
    MAX_TICKS_SILENT,
    PING_TICKS,
    Message,
    StreamFactory,
    StreamProtocol,
    cancel,
)

INTERVAL_S = 1.0
# A browser tab that is suspended for less time than this keeps its connection.
_MAX_TICKS_BEHIND = 15
# They take half a millisecond, then other connections may get their turn.
_CLIENTS_PER_STEP = 32
# With the time a tracer needs to detach, this stays below the two seconds that a stop may take.
_CLOSE_TIMEOUT_S = 0.5


@define(slots=False, eq=False)
class Stream:
    """The connected clients and the timer that sends to them."""

    _cache: ResponseCache
    _reactor: IReactorTime
    dropped: int = attrs.field(default=0, init=False)
    _closing: bool = attrs.field(default=False, init=False)
    _clients: set[StreamProtocol] = attrs.field(factory=set, init=False)
    # Ends the request for details; None while no client is connected.
    _stop_watching: Callable[[], None] | None = attrs.field(default=None, init=False)
    _factory: StreamFactory = attrs.field(init=False)
    _sending: LoopingCall = attrs.field(init=False)
    _turns: Cooperator = attrs.field(init=False)
    _trimmer: MemoryTrimmer = attrs.field(init=False)
    # So that clients that connect at once are not pinged at once.
    _phases: Iterator[int] = attrs.field(factory=lambda: cycle(range(PING_TICKS)), init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Create the timer, which runs only while clients are connected."""
        self._factory = StreamFactory(self, self._reactor)
        self._sending = self._timer()
        self._turns = Cooperator(scheduler=lambda turn: self._reactor.callLater(0, turn))
        self._trimmer = MemoryTrimmer(self._reactor)

    def _timer(self) -> LoopingCall:
        timer = LoopingCall(self._send)
        timer.clock = self._reactor
        return timer

    @property
    def clients(self) -> int:
        """The number of connected clients."""
        return len(self._clients)

    def upgrade(self) -> IResource:
        """Return the resource that takes over a connection."""
        return WebSocketResource(self._factory)

    def call_later(self, seconds: float, call: Callable[[], None]) -> IDelayedCall:
        """Schedule a call."""
        return self._reactor.callLater(seconds, call)

    def add(self, client: StreamProtocol) -> None:
        """Register a client and send it the first message."""
        self._clients.add(client)
        self._trimmer.client_count_changed(self.clients)
        if self._closing:
            client.send_going_away()
            return
        client.offer(self._message())
        client.ticks_silent = next(self._phases)
        if self._stop_watching is None:
            self._stop_watching = self._cache.watch()
        if not self._sending.running:
            # The former one may be within a tick, and would then be scheduled twice.
            self._sending = self._timer()
            self._sending.start(INTERVAL_S, now=False)

    def discard(self, client: StreamProtocol) -> None:
        """Unregister a client."""
        self._clients.discard(client)
        self._trimmer.client_count_changed(self.clients)
        if not self._clients and self._sending.running:
            self._sending.stop()
        if not self._clients and self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None

    def close(self) -> Deferred[Any]:
        """Close all connections; fire when the clients have closed theirs, or after a timeout."""
        self._closing = True
        clients = tuple(self._clients)
        for client in clients:
            client.send_going_away()
        closed = DeferredList([client.disconnected for client in clients])
        if clients:
            timeout = self._reactor.callLater(_CLOSE_TIMEOUT_S, self._abort_all)
            closed.addCallback(lambda _: cancel(timeout))
        return closed

    def _abort_all(self) -> None:
        self._log.info("{clients} clients did not reply to the close frame", clients=self.clients)
        for client in tuple(self._clients):
            client.transport.abortConnection()

    def _message(self) -> Message:
        return Message.create(self._factory, self._cache.json(record_builders.stats).body)

    def _send(self) -> Deferred[Any]:
        return self._turns.coiterate(self._offered(self._message())).addCallback(self._drop_lost)

    def _offered(self, message: Message) -> Iterator[None]:
        """Offer a message to each client; other connections get their turn in between."""
        clients = tuple(self._clients)
        for at in range(0, len(clients), _CLIENTS_PER_STEP):
            for client in clients[at : at + _CLIENTS_PER_STEP]:
                client.offer(message)
            yield

    def _drop_lost(self, _sent: object) -> None:
        stalled = {client for client in self._clients if client.ticks_behind >= _MAX_TICKS_BEHIND}
        silent = {client for client in self._clients if client.ticks_silent >= MAX_TICKS_SILENT}
        for client in stalled | silent:
            client.transport.abortConnection()
        if stalled:
            self.dropped += len(stalled)
            # One line per tick, however many clients there are.
            self._log.info("dropped clients that do not read: {count}", count=len(stalled))
