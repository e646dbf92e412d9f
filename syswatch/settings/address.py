"""Listen addresses and IP addresses, parsed and checked."""

import ipaddress
import re

from syswatch.base.classes import frozen

TLS_MISSING = "TLS needs pyOpenSSL (python3 -m pip install 'twisted[tls]')"
_MAX_PORT = 65_535
HIGHEST_PORT = f"the highest port number is {_MAX_PORT}"
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*):(?P<port>[0-9]{1,5})\Z")
_ENDPOINT_DESCRIPTION = re.compile(r"(?:haproxy|ssl|systemd|tcp|tcp6|tls|unix):.")


class AddressError(Exception):
    """An address that cannot be listened on; the text is one sentence for the user."""


@frozen
class Address:
    """
    A listen address: a host and a port, or a Twisted endpoint description.

    An empty host means the loopback addresses: a wildcard must be given explicitly.
    """

    text: str
    host: str = ""
    port: int | None = None

    @property
    def may_use_tls(self) -> bool:
        """Whether TLS may be used here, as an endpoint description can say."""
        return self.port is None

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Parse an address as given on the command line."""
        if _ENDPOINT_DESCRIPTION.match(text):
            return cls(text)
        match = _HOST_AND_PORT.match(text)
        if match is None:
            raise AddressError(f"'{text}' is not a valid address{_hint(text)}")
        port = int(match["port"])
        if port > _MAX_PORT:
            raise AddressError(f"'{text}' is not a valid address: {HIGHEST_PORT}")
        return cls(text, match["host"].strip("[]"), port)


def parse_ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an IP address, an IPv4-mapped one as IPv4; return None for anything else."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


def _hint(text: str) -> str:
    if text.isascii() and text.isdigit() and int(text[:6]) <= _MAX_PORT:
        return f"; did you mean ':{text}'?"
    if parse_ip(text) is not None:
        host = f"[{text}]" if ":" in text else text
        return f": the port is missing; did you mean '{host}:8080'?"
    return " (use :PORT, HOST:PORT, [IPV6]:PORT or a Twisted endpoint description)"
