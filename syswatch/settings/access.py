"""Who may connect to the HTTP server, and what it serves to them."""

import ipaddress

import attrs

from syswatch.base.classes import frozen

from .metric_limits import MetricLimits

MOST_CLIENTS = 5000
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@frozen(repr=False)
class Token:
    """A secret that a client must present; it never appears in a log or a repr."""

    secret: bytes

    def matches(self, presented: bytes) -> bool:
        """Return whether a client presented this token, in constant time."""
        # It loads OpenSSL.
        from hmac import compare_digest

        return compare_digest(self.secret, presented)


@frozen
class Access:
    """Access rules and limits of the HTTP server."""

    allowed_hosts: frozenset[str] = frozenset()
    trusted_proxies: tuple[Network, ...] = ()
    ws_token: Token | None = None
    http_token: Token | None = None
    most_clients: int = MOST_CLIENTS
    metrics: MetricLimits = attrs.field(factory=MetricLimits)
    debug_endpoints: bool = True
    # The command line of this process, without secrets.
    command_line: tuple[str, ...] = ()
