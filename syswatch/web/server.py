"""The HTTP server: the site and the ports that it listens on."""

import os
from collections.abc import Sequence
from socket import socket
from typing import Any, cast

import attrs
from twisted.internet.address import UNIXAddress
from twisted.internet.defer import DeferredList, maybeDeferred
from twisted.internet.interfaces import IAddress, IListeningPort
from twisted.web.http import Request
from twisted.web.resource import IResource
from twisted.web.server import Site

from syswatch.base.classes import define
from syswatch.service.open_files import max_pending_connections
from syswatch.service.reactor import Reactor
from syswatch.settings.address import Address, parse_ip

from .http_channel import MAX_PENDING_CONNECTIONS, Channel, PendingConnections, ServedRequest
from .listen import listen
from .site import WebApplication
from .twisted_private import uses_tls


class QuietSite(Site):
    """A site without an access log: dashboards and probes poll all the time."""

    protocol = Channel  # type: ignore[assignment]  # without HTTP/2

    def __init__(self, root: IResource, reactor: Reactor) -> None:
        # Without Twisted's timeout: the deadline of pending connections is stricter.
        super().__init__(root, requestFactory=ServedRequest, timeout=None, reactor=reactor)
        maximum = max_pending_connections(MAX_PENDING_CONNECTIONS)
        self.pending = PendingConnections(reactor, maximum)

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Return the protocol of a new connection."""
        channel = super().buildProtocol(addr)
        cast("Channel", channel).pending = self.pending
        return channel

    def log(self, request: Request) -> None:
        """Write no access log."""


@define
class Server:
    """A web application and the address that it is served on."""

    web: WebApplication
    address: Address
    _ports: list[IListeningPort] = attrs.field(factory=list, init=False)

    async def open(self, reactor: Reactor, sockets: Sequence[socket] = ()) -> None:
        """Listen, on sockets that do already, if any; raise AddressError if it is not possible."""
        site = QuietSite(self.web.root, reactor)
        self._ports = await listen(self.address, reactor, site, sockets)

    async def close(self) -> None:
        """Stop listening and disconnect the stream clients."""
        ports, self._ports = self._ports, []
        await DeferredList([maybeDeferred(port.stopListening) for port in ports])
        await self.web.stream.close()

    @property
    def urls(self) -> list[str]:
        """The URL of the address that is bound, as terminals make it clickable."""
        return [_url(port) for port in self._ports[:1]]

    @property
    def is_public(self) -> bool:
        """Return whether the server listens on all interfaces, however that was requested."""
        return any(_is_wildcard(getattr(port.getHost(), "host", "")) for port in self._ports)


def _is_wildcard(host: str) -> bool:
    address = parse_ip(host)
    return address is not None and address.is_unspecified


def _url(port: IListeningPort) -> str:
    bound = port.getHost()
    if isinstance(bound, UNIXAddress):
        return f"unix:{os.fsdecode(bound.name or b'')}"
    host, number = getattr(bound, "host", None), getattr(bound, "port", None)
    if host is None:
        return str(bound)
    scheme = "https" if uses_tls(port) else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{number}/"
