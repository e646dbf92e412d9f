"""
Tests of what the code assumes about undocumented parts of Twisted and Autobahn.

Each failure names the installed version; `TRIED_WITH` in the two modules lists the versions known
to work.
"""

import inspect
import socket
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import trustme
from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import serverFromString
from twisted.internet.error import ConnectionDone
from twisted.internet.process import Process
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.tcp import Connection
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase, TestCase
from twisted.web.http import HTTPChannel
from twisted.web.server import Request, Site

from syswatch.web import autobahn_private, twisted_private
from syswatch.web.autobahn_private import AdaptableProtocol, framed, with_class_options
from syswatch.web.http_channel import Channel, ServedRequest
from syswatch.web.twisted_private import (
    AdaptableChannel,
    BodilessRequest,
    uses_tls,
    write_at_once,
)
from tests.web.frames import CLOSE, PING, PONG, TEXT, UPGRADE, client_frame, frames
from tests.web.served import request


class PrivateApiCase(TestCase):
    """A test case whose failures name the version of a library."""

    library = ""
    tried_with: tuple[str, ...] = ()

    def check(self, fact: object, assumption: str) -> None:
        """Fail with the installed version and the known ones unless an assumption holds."""
        installed, known = version(self.library), ", ".join(self.tried_with)
        self.assertTrue(fact, f"{self.library} {installed} (tried with {known}): {assumption}")

    def check_overrides(self, own: type, library_class: type) -> None:
        """Check that overridden methods exist and take as many arguments as here."""
        for name, method in vars(own).items():
            if inspect.isfunction(method) and not name.startswith("__"):
                overridden = getattr(library_class, name, None)
                if overridden is not None:
                    same = _arity(method) == _arity(overridden)
                    self.check(same, f"{library_class.__name__}.{name} has other parameters")


def _arity(function: object) -> int:
    return len(inspect.signature(cast("Any", function)).parameters)


class RecordingChannel(AdaptableChannel):
    """A channel that counts malformed requests."""

    malformed = 0

    def refuse_malformed_request(self) -> None:
        """Count."""
        self.malformed += 1


class TwistedTests(PrivateApiCase):
    """Twisted's HTTP channel, request and listening ports."""

    library = "twisted"
    tried_with = twisted_private.TRIED_WITH

    def connect(self) -> tuple[RecordingChannel, StringTransport]:
        """Return a channel with its transport."""
        reactor: Any = MemoryReactorClock()
        site = Site(cast("Any", None), requestFactory=BodilessRequest, reactor=reactor)
        channel = RecordingChannel()
        cast("Any", channel).site = channel.factory = site
        channel.requestFactory = BodilessRequest
        transport = StringTransport()
        channel.makeConnection(transport)
        return channel, transport

    def test_overrides(self) -> None:
        """The overridden methods exist, with the same number of parameters."""
        for names, library_class in (
            (("_respondToBadRequestAndDisconnect", "dataReceived"), HTTPChannel),
            (("allContentReceived", "requestDone", "lineLengthExceeded"), HTTPChannel),
            (("gotLength", "handleContentChunk", "requestReceived"), Request),
        ):
            for name in names:
                self.check(hasattr(library_class, name), f"no {library_class.__name__}.{name}")
        self.check_overrides(AdaptableChannel, HTTPChannel)
        self.check_overrides(Channel, HTTPChannel)
        self.check_overrides(BodilessRequest, Request)
        self.check_overrides(ServedRequest, Request)

    def test_malformed_request(self) -> None:
        """A malformed request calls the override."""
        channel, _ = self.connect()
        channel.dataReceived(b"nonsense\r\n")
        self.check(channel.malformed == 1, "a malformed request does not call the override")

    def test_write_blocked(self) -> None:
        """The channel knows whether its transport is blocked."""
        channel, _ = self.connect()
        states = [channel.is_write_blocked]
        channel.pauseProducing()
        states.append(channel.is_write_blocked)
        channel.resumeProducing()
        states.append(channel.is_write_blocked)
        self.check(states == [False, True, False], "_waitingForTransport has another meaning")

    def test_limits(self) -> None:
        """Too many and too large headers are told from malformed ones."""
        large = b"GET / HTTP/1.1" + b"\r\nX: y" * 600
        states = []
        for data in (b"nonsense\r\n", large, b"G" * 16_390 + b"\r\n"):
            channel, _ = self.connect()
            channel.dataReceived(data)
            states.append(channel.exceeds_limits)
        self.check(states == [False, True, False], "headers are counted in another way")

    def test_reading(self) -> None:
        """Reading pauses and resumes the transport."""
        channel, transport = self.connect()
        channel.pause_reading()
        paused = transport.producerState
        channel.resume_reading()
        states = (paused, transport.producerState)
        self.check(states == ("paused", "producing"), "_networkProducer is not the transport")

    def test_buffered_data(self) -> None:
        """Data that arrived while paused is parsed on request."""
        channel, _ = self.connect()
        channel.paused = True
        channel.dataReceived(b"nonsense\r\n")
        before = channel.malformed
        channel.parse_buffered_data()
        counts = (before, channel.malformed)
        self.check(counts == (0, 1), "`paused` does not delay parsing")

    def test_body(self) -> None:
        """A body is discarded."""
        channel, _ = self.connect()
        channel.dataReceived(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc")
        content = channel.requests[0].content
        self.check(content is not None and content.read() == b"", "a body is stored")

    def test_closed_pipe(self) -> None:
        """Writing to a closed pipe of a child raises KeyError, which the tracer process expects."""
        process = Process.__new__(Process)
        process.pipes = {}
        error = self.assertRaises(KeyError, process.writeToChild, 4, b"")
        self.check(error.args == (4,), "writeToChild raises another error")

    def test_clock(self) -> None:
        """The reactor takes the time of delayed calls from its method `seconds`."""
        from twisted.internet import reactor

        clock: Any = reactor
        self.patch(clock, "seconds", lambda: 1000.0)
        call = clock.callLater(5, lambda: None)
        self.addCleanup(call.cancel)
        self.check(call.getTime() == 1005.0, "callLater does not use `seconds`")

    def test_tls(self) -> None:
        """Ports with and without TLS are told apart."""
        from twisted.internet import reactor

        key = Path(self.mktemp())
        trustme.CA().issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(key)
        escaped = str(key).replace(":", "\\:")
        found = []
        for description in (
            "tcp:0:interface=127.0.0.1",
            f"ssl:0:interface=127.0.0.1:privateKey={escaped}:certKey={escaped}",
        ):
            endpoint = serverFromString(reactor, description)
            port = self.successResultOf(endpoint.listen(Factory.forProtocol(HTTPChannel)))
            self.addCleanup(port.stopListening)
            found.append(uses_tls(port))
        self.check(found == [False, True], "TLS ports have another class")


class WriteAtOnceTests(PrivateApiCase):
    """Passing data to the kernel without waiting for the reactor."""

    library = "twisted"
    tried_with = twisted_private.TRIED_WITH

    def setUp(self) -> None:
        """Make a connection whose other end is a socket."""
        own, self.other = socket.socketpair()
        for each in (own, self.other):
            each.setblocking(False)  # noqa: FBT003
        self.addCleanup(self.other.close)
        self.addCleanup(own.close)
        self.reactor = MemoryReactorClock()
        self.connection = Connection(own, Protocol(), self.reactor)
        self.connection.connected = True

    def received(self) -> bytes:
        """Return what has arrived."""
        try:
            return self.other.recv(1 << 24)
        except BlockingIOError:
            return b""

    def test_at_once(self) -> None:
        """The data has arrived, and the reactor has nothing to wait for."""
        write_at_once(self.connection, b"whole")
        self.check(self.received() == b"whole", "writeSomeData does not send")
        self.check(not self.reactor.writers, "the connection waits for nothing")

    def test_rest(self) -> None:
        """What the kernel does not take is sent later, before what follows."""
        data = bytes(range(256)) * 8192
        write_at_once(self.connection, data)
        write_at_once(self.connection, b"after")
        self.check(self.connection in self.reactor.writers, "the connection does not wait")
        arrived = b""
        while part := self.received():
            arrived += part
            self.connection.doWrite()
        self.check(arrived == data + b"after", "the buffers have another meaning")
        self.check(self.connection not in self.reactor.writers, "the connection waits for nothing")
        write_at_once(self.connection, b"whole")
        self.check(self.received() == b"whole", "the buffers are not emptied")

    def test_unread(self) -> None:
        """What was written and has not arrived is known, whatever keeps it."""
        channel, transport = RecordingChannel(), StringTransport()
        # As that of TLS is over the one that is written to.
        cast("Any", transport).transport = self.connection
        channel.transport = cast("Any", transport)
        known = [channel.unread_bytes]
        self.connection.write(b"x" * (1 << 20))
        known.append(channel.unread_bytes)
        self.connection.doWrite()
        self.received()
        known.append(channel.unread_bytes)
        self.check(known[0] == 0 < known[2] < (1 << 20) == known[1], f"other buffers: {known}")
        while self.connection in self.reactor.writers:
            self.connection.doWrite()
            self.received()
        self.check(channel.unread_bytes == 0, "the kernel keeps something else")

    def test_broken(self) -> None:
        """A connection that the other end has closed is left for the transport to find."""
        self.other.close()
        write_at_once(self.connection, b"lost")
        self.check(self.connection in self.reactor.writers, "the transport does not try")

    def test_closing(self) -> None:
        """Nothing is sent after the connection was closed here."""
        self.connection.write(b"before")
        self.connection.loseConnection()
        self.connection.doWrite()
        write_at_once(self.connection, b"after")
        self.check(self.received() == b"before", "the connection sends although it is closing")


class RecordingProtocol(AdaptableProtocol):
    """A protocol that records how it is closed."""

    closed: tuple[bool, ...] = ()

    def close_transport(self, *, abort: bool) -> None:
        """Record the argument."""
        self.closed += (abort,)


class AutobahnTests(PrivateApiCase):
    """Autobahn's WebSocket server protocol."""

    library = "autobahn"
    tried_with = autobahn_private.TRIED_WITH

    def connect(self) -> tuple[RecordingProtocol, StringTransport]:
        """Return a protocol after its handshake."""
        factory = WebSocketServerFactory(reactor=MemoryReactorClock())
        factory.setProtocolOptions(openHandshakeTimeout=0, closeHandshakeTimeout=0)
        factory.protocol = with_class_options(RecordingProtocol, factory)
        protocol = cast("RecordingProtocol", factory.buildProtocol(None))
        transport = StringTransport()
        protocol.makeConnection(transport)
        transport.registerProducer(protocol, streaming=True)
        protocol.dataReceived(request("/", UPGRADE))
        transport.clear()
        return protocol, transport

    def test_overrides(self) -> None:
        """The overridden methods exist, with the same number of parameters."""
        for name in ("_fail_connection", "_closeConnection", "dropConnection", "sendCloseFrame"):
            self.check(hasattr(WebSocketServerProtocol, name), f"no {name}")
        self.check_overrides(AdaptableProtocol, WebSocketServerProtocol)

    def test_violation(self) -> None:
        """A violation sends a close frame with its code, and closes the connection."""
        protocol, transport = self.connect()
        protocol.dataReceived(b"\x81\x03abc")
        sent = [(frame.kind, frame.close_code) for frame in frames(transport.value())]
        self.check(sent == [(CLOSE, 1002)], "_fail_connection is not called for a violation")
        self.check(protocol.closed == (False,), "_closeConnection is not called to close")
        self.check(not protocol.closed_cleanly, "wasClean has another meaning")

    def test_going_away(self) -> None:
        """A close frame may have the code of a server that stops."""
        protocol, transport = self.connect()
        protocol.send_going_away()
        sent = [(frame.kind, frame.close_code) for frame in frames(transport.value())]
        self.check(sent == [(CLOSE, 1001)], "sendCloseFrame does not send the given code")
        protocol.dataReceived(b"\x88\x82\0\0\0\0\x03\xe9")
        self.check(protocol.closed_cleanly, "wasClean has another meaning")

    def test_prepared(self) -> None:
        """A prepared message is one frame, and nothing follows a close frame."""
        protocol, transport = self.connect()
        frame = framed(protocol.factory, b"[]")
        protocol.send_frames(frame)
        self.check(transport.value() == b"\x81\x02[]", "payloadHybi is not the frame")
        protocol.sendClose()
        transport.clear()
        protocol.send_frames(frame)
        self.check(not transport.value(), "STATE_OPEN has another meaning")

    def test_only_a_pong(self) -> None:
        """A pong alone is told from everything else that a client may send."""
        protocol, _ = self.connect()
        for pong in (client_frame(PONG, b""), client_frame(PONG, b"x" * 125)):
            self.check(protocol.is_only_a_pong(pong), "STATE_OPEN has another meaning")
        for data in (
            client_frame(PONG, b"abc")[:-1],
            client_frame(PONG, b"") * 2,
            client_frame(PING, b""),
            b"\x0a\x80\0\0\0\0",  # not final
            b"\xca\x80\0\0\0\0",  # a bit of an extension
            b"\x8a\x04abcd",  # not masked
            b"\x8a\xfe\0\0\0\0" + b"x" * 126,  # too long
            b"\x8a",
            b"",
        ):
            self.check(not protocol.is_only_a_pong(data), f"{data!r} is taken for a pong")

    def test_pong_within(self) -> None:
        """The bytes of a pong are data within a frame."""
        pong = client_frame(PONG, b"")
        protocol, _ = self.connect()
        protocol.dataReceived(pong[:1])
        self.check(not protocol.is_only_a_pong(pong), "`data` is not what is yet to be parsed")
        protocol, _ = self.connect()
        protocol.dataReceived(client_frame(TEXT, b"text")[:8])
        self.check(not protocol.is_only_a_pong(pong), "`current_frame` has another meaning")
        protocol, _ = self.connect()
        protocol.sendClose()
        self.check(not protocol.is_only_a_pong(pong), "STATE_OPEN has another meaning")

    def test_handshake_cycle(self) -> None:
        """The Deferred of the handshake does not keep the protocol alive."""
        protocol, _ = self.connect()
        closed = protocol.is_closed
        self.check(isinstance(closed, Deferred), "is_closed is not a Deferred")
        protocol.connectionLost(Failure(ConnectionDone()))
        self.check(self.successResultOf(closed) is None, "is_closed keeps its result")

    def test_class_options(self) -> None:
        """Options of the class are not copied to the connection."""
        protocol, _ = self.connect()
        copied = set(AdaptableProtocol.CONFIG_ATTRS) & set(vars(protocol))
        self.check(AdaptableProtocol.CONFIG_ATTRS, "there is no CONFIG_ATTRS")
        self.check(not copied, f"{copied} are copied to each connection")


class FailureTests(SynchronousTestCase):
    """The message of a failed check."""

    def test_names_version(self) -> None:
        """It names the installed version and those that are known to work."""
        case = TwistedTests("test_tls")
        error = self.assertRaises(AssertionError, case.check, fact=False, assumption="it differs")
        for part in (version("twisted"), twisted_private.TRIED_WITH[0], "it differs"):
            self.assertIn(part, str(error))
