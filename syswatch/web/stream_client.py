"""One client of the stream: what it is sent, and how its connection ends."""

import socket
from inspect import isfunction
from typing import TYPE_CHECKING, Any, cast

from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IDelayedCall,
    IHalfCloseableProtocol,
    IPushProducer,
    ISSLTransport,
)
from txaio.tx import make_logger
from zope.interface import implementer

if TYPE_CHECKING:
    from .stream import Stream

# A snapshot has some 20 kB; the kernel doubles this, and without it hides megabytes.
SEND_BUFFER = 64 * 1024
_PING_INTERVAL_S = 20
_PING_PATIENCE_S = 20
_GOING_AWAY = 1001
# Clients have nothing to say.
_LARGEST_FROM_CLIENT = 1024
# How long a client that broke the protocol has to read why, and to close.
_LINGER_S = 1.0
# A frame of control has no more room, and two bytes of it are the code.
_LONGEST_REASON = 123


@implementer(IPushProducer, IHalfCloseableProtocol)
class StreamProtocol(WebSocketServerProtocol):
    """One client."""

    hub: "Stream"
    transport: Any
    # What a client does wrong ends its connection; it must not be able to fill our log besides.
    log = make_logger("error")
    _lingering: IDelayedCall | None = None

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
        if self._lingering is not None:
            forget(self._lingering)
        if hasattr(self, "gone"):
            self.hub.leave(self)
            self.gone.callback(None)

    def dataReceived(self, data: bytes) -> None:
        """Throw away what comes after a violation; Autobahn would keep it."""
        if self._lingering is None:
            super().dataReceived(data)

    def readConnectionLost(self) -> None:
        """Send what is still to be sent to a client that says no more, and go."""
        if self._lingering is None:
            # Nothing more may gather, should it read no more either.
            self._paused = True
            self.unregisterProducer()
        self.transport.loseConnection()

    def writeConnectionLost(self) -> None:
        """Wait for the other half."""

    def _fail_connection(self, code: int = _GOING_AWAY, reason: str = "") -> None:
        """Tell the client what it did wrong before the connection ends."""
        self.sendCloseFrame(code, reason.encode()[:_LONGEST_REASON])
        self.wasClean = False
        self.dropConnection()

    def _closeConnection(self, abort: bool = False) -> None:  # noqa: FBT001, FBT002  Autobahn's
        """End a connection: at once if it has failed, else so that the client hears why."""
        if self.wasClean:
            self.transport.loseConnection()
        elif abort:
            self.transport.abortConnection()
        else:
            self._linger()

    def _linger(self) -> None:
        """
        End our half of the connection, and wait a moment for the other one.

        The kernel resets a connection that is closed with something unread in it, and by that the
        client may lose the close frame.  Of TLS no half can be ended, but it has its own farewell.
        """
        if ISSLTransport.providedBy(self.transport):
            self.transport.loseConnection()
        else:
            self.transport.loseWriteConnection()
        self._lingering = self.hub.later(_LINGER_S, self.transport.abortConnection)

    def offer(self, message: Any) -> None:
        """Send a prepared message, if the client has read those before."""
        if self._lingering is not None:
            return
        if self._paused:
            self.behind += 1
        else:
            self.behind = 0
            self.sendPreparedMessage(message)

    def leave_alone(self) -> None:
        """Send a close frame, and wait for the answer."""
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
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)


class StreamFactory(WebSocketServerFactory):
    """Makes the clients, with the options that are the same for all of them."""

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
        """Make a client that knows its hub."""
        protocol = cast("StreamProtocol", super().buildProtocol(address))
        protocol.hub = self._hub
        return protocol


def _configured(factory: StreamFactory) -> type[StreamProtocol]:
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


def _nothing(_client: object) -> None:
    pass


def forget(call: IDelayedCall) -> None:
    """Cancel a call, unless it has been made."""
    if call.active():
        call.cancel()
