"""
Overrides of Twisted that rely on undocumented methods and attributes.

tests/web/test_private_apis.py checks every assumption, so that a new release fails there first.
"""

import sys
import termios
from fcntl import ioctl
from io import BytesIO
from typing import Any

from twisted.internet.interfaces import IListeningPort, ITCPTransport, ITransport
from twisted.internet.tcp import Connection
from twisted.web.http import HTTPChannel
from twisted.web.server import Request

TRIED_WITH = ("24.7.0", "26.10.0")


class BodilessRequest(Request):
    """A request whose body is discarded as it arrives: no path needs one."""

    def gotLength(self, _length: int | None) -> None:  # noqa: N802  Twisted's name
        """Allocate nothing, whatever the announced length."""
        self.content = BytesIO()

    def handleContentChunk(self, _data: bytes) -> None:  # noqa: N802  Twisted's name
        """Discard a part of the body."""


class AdaptableChannel(HTTPChannel):
    """An HTTP connection that subclasses can pause, resume and refuse by public methods."""

    transport: ITCPTransport

    @property
    def is_write_blocked(self) -> bool:
        """Return whether the client has yet to read earlier responses."""
        return bool(self._waitingForTransport)

    @property
    def is_handling_request(self) -> bool:
        """Return whether a request has arrived to which the response is not complete."""
        return bool(self._handlingRequest)

    @property
    def unread_bytes(self) -> int:
        """Return how much was written that the client's kernel has not acknowledged, if known."""
        transport: Any = self.transport
        # TLS writes to the connection.
        while not isinstance(transport, Connection | None):
            transport = getattr(transport, "transport", None)
        return 0 if transport is None else _unsent_bytes(transport) + _unread_bytes(transport)

    @property
    def exceeds_limits(self) -> bool:
        """Return whether a request has more headers, or larger ones, than are accepted."""
        return (
            self._receivedHeaderSize > self.totalHeadersSize
            or self._receivedHeaderCount > self.maxHeaders
        )

    def pause_reading(self) -> None:
        """Stop reading from the connection."""
        self._networkProducer.pauseProducing()

    def resume_reading(self) -> None:
        """Read from the connection again."""
        self._networkProducer.resumeProducing()

    def parse_buffered_data(self) -> None:
        """Resume parsing after `paused` was set, without counting it as received data."""
        self.paused = False
        HTTPChannel.dataReceived(self, b"")

    def refuse_malformed_request(self) -> None:
        """Respond to data that is not a valid HTTP request, and close the connection."""
        super()._respondToBadRequestAndDisconnect()

    def _respondToBadRequestAndDisconnect(self) -> None:  # noqa: N802  Twisted's name
        self.refuse_malformed_request()


def _unsent_bytes(connection: Any) -> int:
    return int(len(connection.dataBuffer) - connection.offset + connection._tempDataLen)


def _unread_bytes(connection: Connection) -> int:
    """Return how much of a connection the kernel has to keep."""
    try:
        kept = ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
    except (OSError, ValueError):  # It is closed.
        return 0
    return int.from_bytes(kept, sys.byteorder)


def write_at_once(transport: ITransport, data: bytes) -> None:
    """
    Pass as much data as possible to the kernel, and leave the rest to the transport.

    A transport waits until its socket is writable, even if it has sent everything before: two more
    system calls and an event of the reactor for each message.
    """
    if isinstance(transport, Connection) and _has_sent_everything(transport):
        try:
            sent = transport.getHandle().send(data)
        except OSError:
            # The kernel takes nothing now, or the transport is to find that the connection is lost.
            sent = 0
        data = data[sent:]
    if data:
        transport.write(data)


def _has_sent_everything(connection: Any) -> bool:
    # In one expression: it is evaluated for each client of the stream each second.
    return connection.connected and not (
        connection.disconnecting
        or connection._writeDisconnecting
        or connection._writeDisconnected
        or connection.dataBuffer
        or connection._tempDataBuffer
    )


def uses_tls(port: IListeningPort) -> bool:
    """Return whether a port serves TLS, which Twisted shows only in names of classes."""
    return any("TLS" in type(each).__name__ for each in (port, getattr(port, "factory", None)))
