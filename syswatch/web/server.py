"""The HTTP server: the site, and the ports it listens on."""

import os
from typing import Any, cast

import attrs
from twisted.internet.address import UNIXAddress
from twisted.internet.defer import DeferredList, maybeDeferred
from twisted.internet.interfaces import IAddress, IListeningPort
from twisted.web.http import Request
from twisted.web.resource import IResource
from twisted.web.server import Site

from syswatch.service.open_files import max_pending_connections
from syswatch.service.reactor import Reactor
from syswatch.settings.address import Address, parse_ip

from .connections import MOST_WAITING, BodilessRequest, Channel, WaitingRoom
from .listen import listen
from .site import Web


class QuietSite(Site):
    """A site that writes no line for each request: dashboards and probes ask all the time."""

    protocol = Channel  # type: ignore[assignment]  # which speaks no HTTP/2

    def __init__(self, root: IResource, reactor: Reactor) -> None:
        # No timeout of Twisted's: that of the waiting room is stricter.
        super().__init__(root, requestFactory=BodilessRequest, timeout=None, reactor=reactor)
        self.room = WaitingRoom(reactor, max_pending_connections(MOST_WAITING))

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Make a connection that is waited for."""
        channel = super().buildProtocol(addr)
        cast("Channel", channel).room = self.room
        return channel

    def log(self, request: Request) -> None:
        """Write no access log."""


@attrs.define
class Server:
    """The web and where it is served."""

    web: Web
    address: Address
    _ports: list[IListeningPort] = attrs.field(factory=list, init=False)

    async def open(self, reactor: Reactor) -> None:
        """Listen; AddressError says why it cannot be done."""
        self._ports = await listen(self.address, reactor, QuietSite(self.web.root, reactor))

    async def close(self) -> None:
        """Listen no more, and say good-bye to those who listen to us."""
        ports, self._ports = self._ports, []
        await DeferredList([maybeDeferred(port.stopListening) for port in ports])
        await self.web.stream.close()

    @property
    def urls(self) -> list[str]:
        """Where the server is really reached, as a terminal makes clickable."""
        return [_url(port) for port in self._ports[:1]]

    @property
    def is_public(self) -> bool:
        """Return whether every interface of the machine is listened on, whoever asked for it."""
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
    scheme = "https" if "TLS" in type(port).__name__ or _is_tls(port) else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{number}/"


def _is_tls(port: IListeningPort) -> bool:
    return "TLS" in type(getattr(port, "factory", None)).__name__
