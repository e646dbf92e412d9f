"""The WebSocket protocol of one stream client."""

import socket
from typing import TYPE_CHECKING, Any, cast

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IDelayedCall,
    IHalfCloseableProtocol,
    IPushProducer,
    ISSLTransport,
)
from zope.interface import implementer

from syswatch.base.classes import frozen

from .autobahn_classes import WebSocketServerFactory
from .autobahn_private import AdaptableProtocol, framed, with_class_options

if TYPE_CHECKING:
    from .stream import Stream

# A message has some 20 kB.  The kernel doubles this value; its default would hide megabytes.
SEND_BUFFER = 64 * 1024
# A client is pinged when it was silent for so many ticks, and dropped after as many again.
PING_TICKS = 20
MAX_TICKS_SILENT = 2 * PING_TICKS
_PING = b"\x89\0"
# Clients need not send anything.
_MAX_RECEIVED = 1024
# How long a client that violated the protocol has to read the reason and to close.
_LINGER_S = 1.0


@frozen
class Message:
    """The frames of a message, which all clients share."""

    frame: bytes
    # A ping takes no system call of its own.
    after_ping: bytes

    @classmethod
    def create(cls, factory: "StreamFactory", text: bytes) -> "Message":
        """Frame a text."""
        frame = framed(factory, text)
        return cls(frame, _PING + frame)


@implementer(IPushProducer, IHalfCloseableProtocol)
class StreamProtocol(AdaptableProtocol):
    """The connection of one client."""

    stream: "Stream"
    # Ticks since the client has last read everything, and since it has sent something.
    ticks_behind = 0
    ticks_silent = 0
    _is_pinged = False
    _lingering: IDelayedCall | None = None

    def onOpen(self) -> None:
        """Register the client, which gets its first message at once."""
        super().onOpen()
        self._paused = False
        self.disconnected: Deferred[None] = Deferred()
        self._watch_transport()
        self.stream.add(self)

    def onClose(self, _clean: bool, _code: int | None, _reason: str | None) -> None:  # noqa: FBT001
        """Unregister the client, if its handshake was complete."""
        if self._lingering is not None:
            cancel(self._lingering)
        if hasattr(self, "disconnected"):
            self.stream.discard(self)
            self.disconnected.callback(None)

    def dataReceived(self, data: bytes) -> None:
        """Discard data that follows a violation, which Autobahn would buffer, and pongs."""
        if self._lingering is None:
            self.ticks_silent, self._is_pinged = 0, False
            if not self.is_only_a_pong(data):
                super().dataReceived(data)

    def readConnectionLost(self) -> None:
        """Send what is buffered to a client that shut down its half, then close."""
        if self._lingering is None:
            # The client may have stopped reading as well, so nothing more may be buffered.
            self._paused = True
            self.unregisterProducer()
        self.transport.loseConnection()

    def writeConnectionLost(self) -> None:
        """Do nothing: the client is yet to shut down its half."""

    def close_transport(self, *, abort: bool) -> None:
        """Close the connection at once if it is broken, else so that the client gets the reason."""
        if self.closed_cleanly:
            self.transport.loseConnection()
        elif abort:
            self.transport.abortConnection()
        else:
            self._linger()

    def _linger(self) -> None:
        """
        Shut down this half of the connection and wait a moment for the client's half.

        The kernel resets a connection that is closed with unread data, and the client may lose the
        close frame.  TLS has no half-close, but a close alert of its own.
        """
        if ISSLTransport.providedBy(self.transport):
            self.transport.loseConnection()
        else:
            self.transport.loseWriteConnection()
        self._lingering = self.stream.call_later(_LINGER_S, self.transport.abortConnection)

    def offer(self, message: Message) -> None:
        """Send a message, unless the client has yet to read earlier ones; ping a silent client."""
        self.ticks_silent += 1
        if self._paused:
            self.ticks_behind += 1
            return
        self.ticks_behind = 0
        if self.ticks_silent < PING_TICKS or self._is_pinged:
            self.send_frames(message.frame)
        else:
            self.ticks_silent, self._is_pinged = PING_TICKS, True
            self.send_frames(message.after_ping)

    def pauseProducing(self) -> None:
        """Stop sending: the client does not read."""
        self._paused = True

    def resumeProducing(self) -> None:
        """Send again: the client has read everything."""
        self._paused = False

    def stopProducing(self) -> None:
        """Stop sending: the connection is lost."""
        self._paused = True

    def _watch_transport(self) -> None:
        # The HTTP channel was the producer before the upgrade.
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)  # noqa: FBT003  a push producer
        handle = getattr(self.transport, "socket", None)
        if isinstance(handle, socket.socket):
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)


class StreamFactory(WebSocketServerFactory):
    """A factory of client protocols that share their options."""

    protocol = StreamProtocol

    def __init__(self, stream: "Stream", reactor: Any) -> None:
        super().__init__(server="syswatch", reactor=reactor)
        self._stream = stream
        self.setProtocolOptions(
            # Each ping would cost as much as several messages; see `offer`.
            autoPingInterval=0,
            # The stream has one timeout for all clients; Autobahn would log a warning for each.
            closeHandshakeTimeout=0,
            maxFramePayloadSize=_MAX_RECEIVED,
            maxMessagePayloadSize=_MAX_RECEIVED,
            openHandshakeTimeout=5,
        )
        self.protocol = with_class_options(StreamProtocol, self)

    def buildProtocol(self, address: Any) -> StreamProtocol:
        """Return the protocol of a new client."""
        protocol = cast("StreamProtocol", super().buildProtocol(address))
        protocol.stream = self._stream
        return protocol


def cancel(call: IDelayedCall) -> None:
    """Cancel a delayed call, unless it has run."""
    if call.active():
        call.cancel()
