"""Host and Origin: under which names this server may be asked, and by whose pages."""

import ipaddress
import re
from urllib.parse import urlsplit

import attrs
from twisted.web.iweb import IRequest

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# A Host header has a name and a port, and no other part of a URL.
_ODD = re.compile(r"[@/?#\\\s]")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@attrs.frozen
class Hosts:
    """
    Knows the names of this server.

    A page on another site can make a browser ask us under a name of its own that points at a
    loopback address; what it cannot do is to make the browser call us by one of ours.
    """

    allowed: frozenset[str] = frozenset()
    trusted_proxies: tuple[Network, ...] = ()

    def is_ours(self, request: IRequest) -> bool:
        """Say whether the request calls us by a name of ours; no name at all is no browser."""
        host = self._host(request)
        bound = getattr(request.getHost(), "host", None)
        if host is None or bound is None:
            return True
        name = None if _ODD.search(host) else _name(f"//{host}")
        return name is not None and (name in self.allowed or _is_local(name, bound))

    def is_same_origin(self, request: IRequest) -> bool:
        """Say whether no page, or a page of ours, sent the request (whose Host is ours)."""
        origin = request.getHeader(b"origin")
        if origin is None:
            return True
        page = origin.decode("ascii", "replace")
        name = _name(page)
        if name in self.allowed:
            return True
        host = f"//{self._host(request)}"
        return name is not None and name == _name(host) and _port(page) in _ports(host)

    def _host(self, request: IRequest) -> str | None:
        header = request.getHeader(b"host")
        if self._is_trusted(request):
            # With several proxies, the first one knows what the client asked for.
            forwarded = (request.getHeader(b"x-forwarded-host") or b"").partition(b",")[0]
            header = forwarded.strip() or header
        return None if header is None else header.decode("ascii", "replace")

    def _is_trusted(self, request: IRequest) -> bool:
        peer = address_of(getattr(request.getClientAddress(), "host", "") or "")
        return peer is not None and any(peer in network for network in self.trusted_proxies)


def _name(url: str) -> str | None:
    """Return the host of a URL in lower case, None where it has none that makes sense."""
    try:
        name = urlsplit(url).hostname
    except ValueError:
        return None
    return name.rstrip(".") if name else None


def _port(url: str) -> int | None:
    try:
        parts = urlsplit(url)
        return parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None


def _ports(host: str) -> tuple[int | None, ...]:
    """A Host without a port stands for the default one of whichever scheme was used."""
    port = _port(host)
    return tuple(_DEFAULT_PORTS.values()) if port is None else (port,)


def _is_local(name: str, bound: str) -> bool:
    if name == "localhost":
        return True
    named = address_of(name)
    if named is None:
        return False
    # The address that stands for all leads to this machine, too, and no name can be in its place.
    return named.is_loopback or named.is_unspecified or named == address_of(bound)


def address_of(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a text is, one of IPv4 in whatever dress, if it is one at all."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address
