"""
HTTP connections with a deadline for each request and a limit on how many may be pending.

Twisted's timeout restarts with every byte, so that a client that sends one now and then would stay
forever.  Here a complete request must arrive within a fixed time after the connection was opened or
the last response was written.  A client that reads slowly gets this time again whenever it has read
something, and a few times if it has not: its kernel may report what it reads in large steps.
"""

import re
from collections.abc import Callable

import attrs
from twisted.internet.interfaces import IDelayedCall, IHalfCloseableProtocol, IReactorTime
from twisted.internet.protocol import connectionDone
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure
from twisted.web.server import Request
from zope.interface import implementer

from syswatch.base.classes import define
from syswatch.views.records import Error, encode

from .twisted_private import AdaptableChannel, BodilessRequest

REQUEST_TIMEOUT_S = 30
# So many times in a row a client may read nothing of a response.  On the loopback interface, steps
# of 128 KB were seen.
MOST_UNREAD_TIMEOUTS = 4
# A browser keeps six connections open, a scraper one.
MAX_PENDING_CONNECTIONS = 4096
_SWEEP_S = 1.0
# A single read may hold a thousand pipelined requests; other connections must get their turn.
REQUESTS_PER_TURN = 32
# The request target that clients send to a proxy.
_URL = re.compile(rb"https?://(?P<authority>[^/?#]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)


class ServedRequest(BodilessRequest):
    """A request that accepts a URL as its target, as RFC 9112 demands."""

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """Split a URL into the path and the Host header, then handle the request."""
        url = _URL.fullmatch(path)
        if url is not None:
            # Two Host headers are refused later.
            if len(self.requestHeaders.getRawHeaders(b"host") or ()) <= 1:
                self.requestHeaders.setRawHeaders(b"Host", [url["authority"]])
            path = url["rest"] if url["rest"].startswith(b"/") else b"/" + url["rest"]
        super().requestReceived(command, path, version)


@define(eq=False)
class PendingConnections:
    """The connections that wait for their client: to send a request, or to read a response."""

    _clock: IReactorTime
    _maximum: int = MAX_PENDING_CONNECTIONS
    _since: dict["Channel", float] = attrs.field(factory=dict, init=False)
    _sweeping: LoopingCall = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Create the timer, which runs only while connections are pending."""
        self._sweeping = LoopingCall(self._sweep)
        self._sweeping.clock = self._clock

    def __len__(self) -> int:
        return len(self._since)

    def add(self, channel: "Channel") -> None:
        """Start the deadline of a connection; at the limit, drop the one pending longest."""
        # A channel that is pending already has the newest deadline from now on.
        self.discard(channel)
        if len(self._since) >= self._maximum:
            self._drop(next(iter(self._since)))
        self._since[channel] = self._clock.seconds()
        if not self._sweeping.running:
            self._sweeping.start(_SWEEP_S, now=False)

    def discard(self, channel: "Channel") -> None:
        """End the deadline of a connection: its client has done what it had to, or has left."""
        self._since.pop(channel, None)

    def call_next_turn(self, function: Callable[[], None]) -> IDelayedCall:
        """Call a function in the reactor's next turn, after other connections."""
        return self._clock.callLater(0, function)

    def _sweep(self) -> None:
        deadline = self._clock.seconds() - REQUEST_TIMEOUT_S
        while self._since:
            channel, since = next(iter(self._since.items()))
            if since > deadline:
                return
            if channel.may_stay():
                self.add(channel)
            else:
                self._drop(channel)
        self._sweeping.stop()

    def _drop(self, channel: "Channel") -> None:
        self.discard(channel)
        channel.transport.abortConnection()


@implementer(IHalfCloseableProtocol)
class Channel(AdaptableChannel):
    """An HTTP connection with a request deadline and fair turns."""

    pending: PendingConnections
    # How much the client had not read at its last deadline, and at how many it was as much.
    _unread_bytes = 0
    _unread_timeouts = 0
    _requests_this_turn = 0
    _is_half_closed = False
    _next_turn: IDelayedCall | None = None

    def connectionMade(self) -> None:
        """Start the deadline of the first request."""
        super().connectionMade()
        self.pending.add(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Cancel the deadline and the next turn."""
        self.pending.discard(self)
        if self._next_turn is not None:
            self._next_turn.cancel()
            self._next_turn = None
        super().connectionLost(reason)

    def readConnectionLost(self) -> None:
        """
        Respond to the requests that have arrived, then close.

        `printf … | nc` shuts down its half of the connection at once; Twisted would drop the other
        half.  A client that has disconnected looks the same, so that a request that takes time is
        not continued for it.
        """
        if self.paused:
            self._is_half_closed = True
        else:
            self.loseConnection()

    def writeConnectionLost(self) -> None:
        """Do nothing: the server never shuts down its half alone."""

    def allContentReceived(self) -> None:
        """End the deadline and handle the request."""
        self._end_deadline()
        super().allContentReceived()

    def requestDone(self, request: Request) -> None:  # noqa: N802  Twisted's name
        """
        Start the deadline of the next request.

        It is parsed once the client has read the response, and after other connections' turns.
        """
        self._requests_this_turn += 1
        turn_is_over = bool(self.persistent) and self._requests_this_turn >= REQUESTS_PER_TURN
        self.paused = self.is_write_blocked or turn_is_over
        self.pending.add(self)
        super().requestDone(request)
        if self.paused:
            # What arrives would be kept in memory.
            self.pause_reading()
        if turn_is_over:
            self._next_turn = self.pending.call_next_turn(self._start_turn)

    def may_stay(self) -> bool:
        """Return whether the client gets more time: it still reads, or has just read the rest."""
        before, self._unread_bytes = self._unread_bytes, self.unread_bytes
        if self._unread_bytes != before:
            self._unread_timeouts = 0
        self._unread_timeouts += 1
        if not self._unread_bytes:
            return before > 0
        return self._unread_timeouts < MOST_UNREAD_TIMEOUTS

    def pauseProducing(self) -> None:
        """Start the deadline of the client, which has to read."""
        super().pauseProducing()
        # A stream has the transport for itself, and a deadline of its own.
        if self.transport is not None:
            self.pending.add(self)

    def resumeProducing(self) -> None:
        """Continue with the response, and with requests that arrived while it was not read."""
        # First: what is resumed may write so much that it is paused again at once.
        self._end_deadline()
        if not self.is_handling_request:
            self.pending.add(self)
        super().resumeProducing()
        if self._next_turn is None:
            self._continue()
        else:
            self.pause_reading()

    def _end_deadline(self) -> None:
        self.pending.discard(self)
        self._unread_bytes = 0

    def _start_turn(self) -> None:
        self._requests_this_turn, self._next_turn = 0, None
        if not self.is_write_blocked:
            self.resume_reading()
            self._continue()

    def _continue(self) -> None:
        if self.paused:
            self.parse_buffered_data()
        if self._is_half_closed and not self.paused:
            self.loseConnection()

    def lineLengthExceeded(self, _line: bytes) -> None:  # noqa: N802  Twisted's name
        """Refuse a line that is longer than that of any valid request."""
        self._refuse_large_request()

    def refuse_malformed_request(self) -> None:
        """Respond in JSON, as to every other invalid request."""
        if self.exceeds_limits:
            self._refuse_large_request()
        else:
            self._refuse(400, "Bad Request", "Malformed HTTP request.")

    def _refuse_large_request(self) -> None:
        self._refuse(431, "Request Header Fields Too Large", "The request is too large.")

    def _refuse(self, status: int, phrase: str, message: str) -> None:
        body = encode(Error("bad_request", message))
        self.transport.write(
            f"HTTP/1.1 {status} {phrase}\r\nContent-Type: application/json\r\n"
            f"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
            + body
        )
        self.loseConnection()
