"""Bodies of requests and responses, held in memory."""

import attrs
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IConsumer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.iweb import IBodyProducer, IResponse
from zope.interface import implementer

from syswatch.base.classes import define

# A response has a short message at most.
_MOST_BYTES = 64 * 1024


@implementer(IBodyProducer)
@define
class Body:
    """The body of a request."""

    content: bytes
    length: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Set the length, which the interface asks for."""
        self.length = len(self.content)

    def startProducing(self, consumer: IConsumer) -> Deferred[None]:  # noqa: N802  of the interface
        """Write everything at once."""
        consumer.write(self.content)
        return succeed(None)

    def pauseProducing(self) -> None:
        """Do nothing: everything is written."""

    def resumeProducing(self) -> None:
        """Do nothing: everything is written."""

    def stopProducing(self) -> None:
        """Do nothing: everything is written."""


class _Received(Protocol):
    """Collects the first part of a response, and drops the rest."""

    def __init__(self) -> None:
        self.content = b""
        self.done: Deferred[bytes] = Deferred(self._stop)

    def _stop(self, _: Deferred[bytes]) -> None:
        """Close the connection of a response that does not end."""
        if self.transport is not None:
            self.transport.loseConnection()

    def dataReceived(self, data: bytes) -> None:
        """Collect a part."""
        self.content += data[: _MOST_BYTES - len(self.content)]

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: ARG002  the status is known
        """Note that there will be no more."""
        if not self.done.called:
            self.done.callback(self.content)


def beginning_of(response: IResponse) -> Deferred[bytes]:
    """Return the first part of the body, when all of it has been received."""
    received = _Received()
    response.deliverBody(received)
    return received.done
