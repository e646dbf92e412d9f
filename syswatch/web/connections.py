"""
Connections: how long one may keep us waiting for a request, and how many may.

Twisted's own timeout begins anew with every byte, so that a client which sends one now and
then stays for ever.  Here a whole request must have come within a time, counted from the
connection or from the last answer.  Nothing of a request's body is kept: no path takes one.
"""

import re
from collections.abc import Callable
from io import BytesIO

import attrs
from twisted.internet.interfaces import (
    IDelayedCall,
    IHalfCloseableProtocol,
    IReactorTime,
    ITCPTransport,
)
from twisted.internet.protocol import connectionDone
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel
from twisted.web.server import Request
from zope.interface import implementer

from syswatch.views.records import Error, encode

REQUEST_S = 30
# A browser keeps six connections, a scraper one.  With more, the one that waits longest goes.
MOST_WAITING = 4096
_SWEEP_S = 1.0
# A thousand requests fit into what is read at once; others are not to wait for all of them.
MOST_IN_A_TURN = 32
# What is sent to a proxy, and to a server that a client takes for one.
_URL = re.compile(rb"https?://(?P<authority>[^/?#]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)


class BodilessRequest(Request):
    """A request whose body, if it has one, is thrown away as it comes."""

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """Take a whole URL for its path, and its host for the Host header, as RFC 9112 wants."""
        url = _URL.fullmatch(path)
        if url is not None:
            # Two of them are refused whatever the URL says.
            if len(self.requestHeaders.getRawHeaders(b"host") or ()) <= 1:
                self.requestHeaders.setRawHeaders(b"Host", [url["authority"]])
            path = url["rest"] if url["rest"].startswith(b"/") else b"/" + url["rest"]
        super().requestReceived(command, path, version)

    def gotLength(self, _length: int | None) -> None:  # noqa: N802  the name is Twisted's
        """Make no room, however large the body is said to be."""
        self.content = BytesIO()

    def handleContentChunk(self, _data: bytes) -> None:  # noqa: N802  the name is Twisted's
        """Keep nothing."""


@attrs.define(eq=False)
class WaitingRoom:
    """The connections that owe us a request, in the order in which they began to."""

    _clock: IReactorTime
    _most: int = MOST_WAITING
    _since: dict["Channel", float] = attrs.field(factory=dict, init=False)
    _sweeping: LoopingCall = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Get ready; nothing runs while nobody waits."""
        self._sweeping = LoopingCall(self._sweep)
        self._sweeping.clock = self._clock

    def __len__(self) -> int:
        """How many wait."""
        return len(self._since)

    def enter(self, channel: "Channel") -> None:
        """Wait for a request from now on."""
        if len(self._since) >= self._most:
            self._dismiss(next(iter(self._since)))
        self._since[channel] = self._clock.seconds()
        if not self._sweeping.running:
            self._sweeping.start(_SWEEP_S, now=False)

    def soon(self, go_on: Callable[[], None]) -> IDelayedCall:
        """Go on when everybody else has had a turn."""
        return self._clock.callLater(0, go_on)

    def leave(self, channel: "Channel") -> None:
        """Have got the request, or lost the connection."""
        self._since.pop(channel, None)

    def _sweep(self) -> None:
        latest = self._clock.seconds() - REQUEST_S
        while self._since:
            channel, since = next(iter(self._since.items()))
            if since > latest:
                return
            self._dismiss(channel)
        self._sweeping.stop()

    def _dismiss(self, channel: "Channel") -> None:
        self.leave(channel)
        channel.transport.abortConnection()


@implementer(IHalfCloseableProtocol)
class Channel(HTTPChannel):
    """A connection that speaks HTTP, and no longer than it has something to say."""

    room: WaitingRoom
    transport: ITCPTransport
    _in_this_turn = 0
    _is_half_closed = False
    _next_turn: IDelayedCall | None = None

    def connectionMade(self) -> None:
        """Wait for the first request."""
        super().connectionMade()
        self.room.enter(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Wait no more."""
        self.room.leave(self)
        if self._next_turn is not None:
            self._next_turn.cancel()
            self._next_turn = None
        super().connectionLost(reason)

    def readConnectionLost(self) -> None:
        """
        Answer what a client that has nothing more to say has asked, and close.

        `printf … | nc` ends its half of the connection at once; Twisted would drop the other one.
        A client that has gone looks the same, so that nothing which takes time is begun or gone on
        with for it.
        """
        if self.paused:
            self._is_half_closed = True
        else:
            self.loseConnection()

    def writeConnectionLost(self) -> None:
        """Never be told: no half of ours is ended by itself."""

    def allContentReceived(self) -> None:
        """Have a whole request."""
        self.room.leave(self)
        super().allContentReceived()

    def requestDone(self, request: Request) -> None:  # noqa: N802  the name is Twisted's
        """
        Wait for the next request, and look at it later.

        That is when the client has read the answer, and when others have had a turn.
        """
        self._in_this_turn += 1
        is_over = bool(self.persistent) and self._in_this_turn >= MOST_IN_A_TURN
        self.paused = self._waitingForTransport or is_over
        self.room.enter(self)
        super().requestDone(request)
        if is_over:
            # What is not looked at is not read either.
            self._networkProducer.pauseProducing()
            self._next_turn = self.room.soon(self._take_turn)

    def resumeProducing(self) -> None:
        """Look at what has come in the meantime."""
        super().resumeProducing()
        if self._next_turn is None:
            self._go_on()
        else:
            self._networkProducer.pauseProducing()

    def _take_turn(self) -> None:
        self._in_this_turn, self._next_turn = 0, None
        if not self._waitingForTransport:
            self._networkProducer.resumeProducing()
            self._go_on()

    def _go_on(self) -> None:
        if self.paused:
            self.paused = False
            # Of Twisted's own channel: nothing new has come.
            super().dataReceived(b"")
        if self._is_half_closed and not self.paused:
            self.loseConnection()

    def lineLengthExceeded(self, _line: bytes) -> None:  # noqa: N802  the name is Twisted's
        """Refuse a line that is longer than any request of ours."""
        self._refuse(431, "Request Header Fields Too Large", "The request is too large.")

    def _respondToBadRequestAndDisconnect(self) -> None:  # noqa: N802  the name is Twisted's
        self._refuse(400, "Bad Request", "This is no HTTP that makes sense.")

    def _refuse(self, status: int, phrase: str, message: str) -> None:
        body = encode(Error("bad_request", message))
        self.transport.write(
            f"HTTP/1.1 {status} {phrase}\r\nContent-Type: application/json\r\n"
            f"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
            + body
        )
        self.loseConnection()
