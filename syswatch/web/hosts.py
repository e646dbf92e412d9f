"""Host and Origin: under which names this server may be asked, and by whose pages."""

import attrs
from twisted.web.iweb import IRequest

from syswatch.settings.access import Network
from syswatch.settings.address import parse_ip

from .authority import Authority
from .errors import ApiError, bad_host, forbidden_host

_DEFAULT_PORTS = {b"http": 80, b"https": 443}
# A page of ours, or no page: an address that was typed, a bookmark, a program.
_OUR_SITES = (None, b"same-origin", b"none")


@attrs.frozen
class Hosts:
    """
    Knows the names of this server.

    A page on another site can make a browser ask us under a name of its own that points at a
    loopback address; what it cannot do is to make the browser call us by one of ours.
    """

    allowed: frozenset[str] = frozenset()
    trusted_proxies: tuple[Network, ...] = ()

    def refusal(self, request: IRequest, *, any_name: bool = False) -> ApiError | None:
        """Return why the Host header is refused; no name at all is no browser."""
        if len(request.requestHeaders.getRawHeaders(b"host") or ()) > 1:
            return bad_host("There is more than one Host header.")
        bound = getattr(request.getHost(), "host", None)
        raw = self._host(request)
        if raw is None or bound is None:
            return None
        host = Authority.parse(raw)
        if host is None:
            return bad_host("The Host header is not a name or an address with an optional port.")
        if any_name or host.host in self.allowed or _is_local(host.host, bound):
            return None
        return forbidden_host()

    def is_same_origin(self, request: IRequest) -> bool:
        """Return whether no page, or a page of ours, sent the request (whose Host is ours)."""
        origin = request.getHeader(b"origin")
        if origin is None:
            # Browsers leave Origin out of most of what a page loads.
            return request.getHeader(b"sec-fetch-site") in _OUR_SITES
        scheme, _, rest = origin.partition(b"://")
        page, host = Authority.parse(rest), Authority.parse(self._host(request) or b"")
        if page is None or scheme not in _DEFAULT_PORTS:
            return False
        if page.host in self.allowed:
            return True
        port = page.port or _DEFAULT_PORTS[scheme]
        return host is not None and page.host == host.host and port in _ports(host)

    def _host(self, request: IRequest) -> bytes | None:
        if self._is_trusted(request):
            forwarded = request.requestHeaders.getRawHeaders(b"x-forwarded-host") or ()
            # With several proxies, the first one knows what the client asked for.
            first = b",".join(forwarded).partition(b",")[0].strip()
            if first:
                return first
        host: bytes | None = request.getHeader(b"host")
        return host

    def _is_trusted(self, request: IRequest) -> bool:
        peer = parse_ip(getattr(request.getClientAddress(), "host", "") or "")
        return peer is not None and any(peer in network for network in self.trusted_proxies)


def _ports(host: Authority) -> tuple[int, ...]:
    """A Host without a port stands for the default one of whichever scheme was used."""
    return tuple(_DEFAULT_PORTS.values()) if host.port is None else (host.port,)


def _is_local(name: str, bound: str) -> bool:
    if name == "localhost":
        return True
    named = parse_ip(name)
    if named is None:
        return False
    # The address that stands for all leads to this machine, too, and no name can be in its place.
    return named.is_loopback or named.is_unspecified or named == parse_ip(bound)
