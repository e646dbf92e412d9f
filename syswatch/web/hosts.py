"""Checks of the Host and Origin headers: the server's names, and pages of other origins."""

import ipaddress
import re

from twisted.web.iweb import IRequest

from syswatch.base.classes import frozen
from syswatch.settings.access import Network
from syswatch.settings.address import parse_ip

from .errors import ApiError, bad_request, forbidden_host

# DNS and hosts files know international names in their ASCII form.
_HOST_AND_PORT = re.compile(
    r"(?P<name>\[(?P<ipv6>[0-9A-Fa-f:.]+)(%[0-9A-Za-z._~-]+)?\]|[0-9A-Za-z._~-]+)"
    r"(:(?P<port>[0-9]{0,5}))?"
)
_MAX_PORT = 65_535
_DEFAULT_PORTS = {b"http": 80, b"https": 443}
# Values of Sec-Fetch-Site for pages of this server and for no page: a typed address, a bookmark
# or a program.
_SAME_SITE = (None, b"same-origin", b"none")


@frozen
class Authority:
    """A host in lower case, without brackets and final dot, and a port if one is given."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, raw: bytes) -> "Authority | None":
        """Parse a Host header, or return None if it is not a host and an optional port."""
        match = _HOST_AND_PORT.fullmatch(raw.decode("ascii", "replace"))
        if match is None or (match["ipv6"] and not _is_ipv6(match["ipv6"])):
            return None
        host = match["name"].strip("[]").lower().removesuffix(".")
        port = int(match["port"]) if match["port"] else None
        return cls(host, port) if host and (port or 0) <= _MAX_PORT else None


@frozen
class Hosts:
    """
    The names of this server.

    With DNS rebinding, a page on another site makes a browser send requests to a loopback address
    under a name of that site.  It cannot make the browser use a name of this server.
    """

    allowed: frozenset[str] = frozenset()
    trusted_proxies: tuple[Network, ...] = ()

    def refusal(self, request: IRequest, *, any_name: bool = False) -> ApiError | None:
        """
        Return the error in the Host header.

        HTTP/1.0 does without one; its clients are not browsers.  Probes need none.
        """
        if len(request.requestHeaders.getRawHeaders(b"host") or ()) > 1:
            return bad_request("More than one Host header.")
        bound = getattr(request.getHost(), "host", None)
        raw = self._host(request)
        is_old = getattr(request, "clientproto", b"") == b"HTTP/1.0"
        if raw is None and not (is_old or any_name):
            return bad_request("Missing Host header (HTTP/1.1 requires one).")
        if raw is None or bound is None:
            return None
        host = Authority.parse(raw)
        if host is None:
            return bad_request("Invalid Host header (expected a name or an address).")
        if any_name or host.host in self.allowed or _is_local(host.host, bound):
            return None
        return forbidden_host()

    def is_same_origin(self, request: IRequest) -> bool:
        """Return whether a page of this server, or no page, sent the request."""
        origin = request.getHeader(b"origin")
        if origin is None:
            # Browsers omit Origin from most of what a page loads.
            return request.getHeader(b"sec-fetch-site") in _SAME_SITE
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
            # Of several proxies, the first one received the client's request.
            first = b",".join(forwarded).partition(b",")[0].strip()
            if first:
                return first
        host: bytes | None = request.getHeader(b"host")
        return host

    def _is_trusted(self, request: IRequest) -> bool:
        peer = parse_ip(getattr(request.getClientAddress(), "host", "") or "")
        return peer is not None and any(peer in network for network in self.trusted_proxies)


def _ports(host: Authority) -> tuple[int, ...]:
    """Return the ports that a Host header may mean: without one, it is that of the scheme."""
    return tuple(_DEFAULT_PORTS.values()) if host.port is None else (host.port,)


def _is_local(name: str, bound: str) -> bool:
    if name == "localhost":
        return True
    named = parse_ip(name)
    if named is None:
        return False
    # A wildcard address leads to this machine as well, and is never a DNS name.
    return named.is_loopback or named.is_unspecified or named == parse_ip(bound)


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
