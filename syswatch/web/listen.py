"""Where to listen: what a user writes, and the ports it stands for."""

import errno
import os
import re
import socket

import attrs
from twisted.internet.defer import maybeDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint, serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import (
    IListeningPort,
    IProtocolFactory,
    IReactorTCP,
    IStreamServerEndpoint,
)

_MOST_PORT = 65_535
# When a server comes back, all its clients do at once.  One that finds the queue full tries again
# after a second, so that thousands would take a minute.  The kernel cuts this to what it permits.
_QUEUE = 4096
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*):(?P<port>[0-9]{1,5})\Z")
_DESCRIPTION = re.compile(r"(?:haproxy|ssl|systemd|tcp|tcp6|tls|unix):.")


class AddressError(Exception):
    """It cannot be listened there; the text is one sentence for the user."""


@attrs.frozen
class Address:
    """
    A host and a port, or a Twisted endpoint description.

    An empty host stands for the loopback addresses: a wildcard must be asked for by name.
    """

    text: str
    host: str = ""
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read what the user wrote."""
        if _DESCRIPTION.match(text):
            return cls(text)
        match = _HOST_AND_PORT.match(text)
        if match is None:
            raise AddressError(
                f"'{text}' is no address: write :PORT, HOST:PORT, [IPV6]:PORT "
                "or a Twisted endpoint description"
            )
        port = int(match["port"])
        if port > _MOST_PORT:
            raise AddressError(f"'{text}' is no address: a port is at most {_MOST_PORT}")
        return cls(text, match["host"].strip("[]"), port)

    def check(self) -> None:
        """Raise AddressError if it is plain already that the ports cannot be opened."""
        if not self.port:
            return
        try:
            kind, _, _, _, bound = socket.getaddrinfo(
                self.host or "127.0.0.1", self.port, type=socket.SOCK_STREAM
            )[0]
            with socket.socket(kind, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(bound)
        except OSError as error:
            raise AddressError(self._reason(error)) from error

    async def listen(self, reactor: IReactorTCP, factory: IProtocolFactory) -> list[IListeningPort]:
        """Open the ports; raise AddressError with the reason when one cannot be opened."""
        if self.port is None:
            return [await self._open(self._described(reactor), factory)]
        if self.host not in ("", "localhost"):
            kind = TCP6ServerEndpoint if ":" in self.host else TCP4ServerEndpoint
            return [await self._open(kind(reactor, self.port, _QUEUE, self.host), factory)]
        first = await self._open(
            TCP4ServerEndpoint(reactor, self.port, _QUEUE, "127.0.0.1"), factory
        )
        # The port that was free for IPv4, where any was wanted.
        port: int = getattr(first.getHost(), "port", 0)
        try:
            second = await TCP6ServerEndpoint(reactor, port, _QUEUE, "::1").listen(factory)
        except CannotListenError as error:
            if error.socketError.errno == errno.EADDRINUSE and self.port:
                await maybeDeferred(first.stopListening)
                raise AddressError(self._reason(error.socketError)) from error
            return [first]  # A machine without IPv6.
        return [first, second]

    async def _open(
        self, endpoint: IStreamServerEndpoint, factory: IProtocolFactory
    ) -> IListeningPort:
        try:
            return await endpoint.listen(factory)
        except CannotListenError as error:
            raise AddressError(self._reason(error.socketError)) from error
        except OSError as error:
            raise AddressError(self._reason(error)) from error

    def _described(self, reactor: IReactorTCP) -> IStreamServerEndpoint:
        try:
            endpoint: IStreamServerEndpoint = serverFromString(reactor, self.text)
        except Exception as error:  # Whatever the plugin of that endpoint raises.
            is_missing = self.text.startswith("systemd:") and isinstance(error, LookupError)
            why = "systemd has handed over no such socket" if is_missing else error
            raise AddressError(f"'{self.text}' describes no endpoint: {why}") from error
        return endpoint

    def _reason(self, error: OSError | str) -> str:
        if isinstance(error, str):
            # Of a Unix socket, whose lock Twisted finds held; the kernel has not been asked.
            return f"cannot listen on {self.text}: {os.strerror(errno.EADDRINUSE)}"
        reason = f"cannot listen on {self.text}: {error.strerror or error}"
        if error.errno == errno.EACCES and self.port:
            reason += " (a port below 1024 needs root or CAP_NET_BIND_SERVICE)"
        return reason
