"""
Overrides of Twisted that rely on undocumented methods and attributes.

tests/web/test_private_apis.py checks every assumption, so that a new release fails there first.
"""

from io import BytesIO

from twisted.internet.interfaces import IListeningPort, ITCPTransport
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


def uses_tls(port: IListeningPort) -> bool:
    """Return whether a port serves TLS, which Twisted shows only in names of classes."""
    return any("TLS" in type(each).__name__ for each in (port, getattr(port, "factory", None)))
