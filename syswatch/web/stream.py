"""
The stream: the table of system calls, once a second, to everybody who listens.

A message is encoded and framed once a tick and shared by all clients.  A client that does
not read fills first the kernel's buffers and then ours; from then on it is passed over, and
dropped when it does not catch up.  So what waits for a client is bounded by its send buffer,
Twisted's high-water mark and one message.
"""

import socket
from inspect import isfunction
from typing import Any, cast

import attrs
from autobahn.twisted.resource import WebSocketResource
from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IDelayedCall, IPushProducer, IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.web.resource import IResource
from txaio.tx import make_logger
from zope.interface import implementer

from syswatch.service.limits import most_listening
from syswatch.views import shapes

from .answers import Tick
from .tide import Tide

INTERVAL_S = 1.0
# A snapshot has some 20 kB; the kernel doubles this, and without it hides megabytes.
_SEND_BUFFER = 64 * 1024
# A browser tab that is put to sleep for less than this comes back to a live stream.
_PATIENCE_TICKS = 15
_PING_INTERVAL_S = 20
_PING_PATIENCE_S = 20
_GOING_AWAY = 1001
# Together with what a tracer has to detach, this is less than the two seconds a stop may take.
_FAREWELL_S = 0.5
# Clients have nothing to say.
_LARGEST_FROM_CLIENT = 1024


@implementer(IPushProducer)
class StreamProtocol(WebSocketServerProtocol):
    """One client."""

    hub: "Stream"
    transport: Any
    # What a client does wrong ends its connection; it must not be able to fill our log besides.
    log = make_logger("error")

    def onOpen(self) -> None:
        """Begin with what is known."""
        self.behind = 0
        self._paused = False
        self.gone: Deferred[None] = Deferred()
        # Autobahn lets it fire with the protocol that holds it: a ring, of which nothing is freed
        # before the collector comes by, and to a server that has become idle it comes late.
        self.is_closed.addCallback(_nothing)
        self._watch_transport()
        self.hub.join(self)

    def onClose(self, _clean: bool, _code: int | None, _reason: str | None) -> None:  # noqa: FBT001
        """Forget the client, unless it never came through the handshake."""
        if hasattr(self, "gone"):
            self.hub.leave(self)
            self.gone.callback(None)

    def offer(self, message: Any) -> None:
        """Send a prepared message, if the client has read those before."""
        if self._paused:
            self.behind += 1
        else:
            self.behind = 0
            self.sendPreparedMessage(message)

    def leave_alone(self) -> None:
        """Say good-bye, and wait for the answer."""
        # sendClose takes the codes of applications only, and this one is for servers.
        self.sendCloseFrame(_GOING_AWAY, b"the server is going away")

    def pauseProducing(self) -> None:
        """Hear from the transport that the client does not read."""
        self._paused = True

    def resumeProducing(self) -> None:
        """Hear from the transport that the client reads again."""
        self._paused = False

    def stopProducing(self) -> None:
        """Hear from the transport that it is gone."""
        self._paused = True

    def _watch_transport(self) -> None:
        # The HTTP channel was the producer here until it gave the connection away.
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)  # noqa: FBT003  a push producer
        handle = getattr(self.transport, "socket", None)
        if isinstance(handle, socket.socket):
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)


class _Factory(WebSocketServerFactory):
    protocol = StreamProtocol

    def __init__(self, hub: "Stream", reactor: Any) -> None:
        super().__init__(server="syswatch", reactor=reactor)
        self._hub = hub
        self.setProtocolOptions(
            autoPingInterval=_PING_INTERVAL_S,
            autoPingTimeout=_PING_PATIENCE_S,
            # The hub waits for all of them at once; Autobahn would log a warning for each.
            closeHandshakeTimeout=0,
            maxFramePayloadSize=_LARGEST_FROM_CLIENT,
            maxMessagePayloadSize=_LARGEST_FROM_CLIENT,
            openHandshakeTimeout=5,
        )
        self.protocol = _configured(self)

    def buildProtocol(self, address: Any) -> StreamProtocol:
        protocol = cast("StreamProtocol", super().buildProtocol(address))
        protocol.hub = self._hub
        return protocol


def _configured(factory: _Factory) -> type[StreamProtocol]:
    """
    Return a protocol that has the options of its factory as a class.

    Else Autobahn copies them to each client, which takes some 2 kB, and spends two fifths of the
    time of an upgrade on a line about them that nobody logs.
    """
    options = {name: getattr(factory, name) for name in StreamProtocol.CONFIG_ATTRS}
    # As an option it is no method.
    functions = {name: staticmethod(it) for name, it in options.items() if isfunction(it)}
    body = {**options, **functions, "CONFIG_ATTRS": ()}
    return type("ConfiguredProtocol", (StreamProtocol,), body)


@attrs.define(slots=False, eq=False)
class Stream:
    """Knows the clients and sends to them."""

    _tick: Tick
    _reactor: IReactorTime
    most_clients: int
    dropped: int = attrs.field(default=0, init=False)
    _closing: bool = attrs.field(default=False, init=False)
    _clients: set[StreamProtocol] = attrs.field(factory=set, init=False)
    _factory: _Factory = attrs.field(init=False)
    _sending: LoopingCall = attrs.field(init=False)
    _tide: Tide = attrs.field(init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Get ready; nothing runs before the first client."""
        self._factory = _Factory(self, self._reactor)
        self._sending = LoopingCall(self._send)
        self._sending.clock = self._reactor
        self._tide = Tide(self._reactor)

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return len(self._clients)

    @property
    def room(self) -> int:
        """How many clients there may be, which is fewer where few files may be open."""
        return most_listening(self.most_clients)

    @property
    def is_full(self) -> bool:
        """Say whether one more client is one too many."""
        return self.clients >= self.room

    def upgrade(self) -> IResource:
        """Return the resource that takes over a connection."""
        return WebSocketResource(self._factory)

    def join(self, client: StreamProtocol) -> None:
        """Send to a client from now on."""
        self._clients.add(client)
        self._tide.see(self.clients)
        if self._closing:
            client.leave_alone()
            return
        client.offer(self._message())
        if not self._sending.running:
            self._sending.start(INTERVAL_S, now=False)

    def leave(self, client: StreamProtocol) -> None:
        """Send to a client no more."""
        self._clients.discard(client)
        self._tide.see(self.clients)
        if not self._clients and self._sending.running:
            self._sending.stop()

    def close(self) -> Deferred[Any]:
        """Say good-bye to all; fire when they are gone, of themselves or after a moment."""
        self._closing = True
        clients = tuple(self._clients)
        for client in clients:
            client.leave_alone()
        gone = DeferredList([client.gone for client in clients])
        if clients:
            patience = self._reactor.callLater(_FAREWELL_S, self._abandon)
            gone.addCallback(lambda _: _forget(patience))
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


def _nothing(_client: object) -> None:
    pass


def _forget(call: IDelayedCall) -> None:
    if call.active():
        call.cancel()
