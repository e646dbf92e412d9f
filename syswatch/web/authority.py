"""The host and port that a request or an origin names."""

import ipaddress
import re

import attrs

# A name as DNS and files of hosts know it: an international one comes in its ASCII form.
_AUTHORITY = re.compile(
    r"(?P<name>\[(?P<ipv6>[0-9A-Fa-f:.]+)(%[0-9A-Za-z._~-]+)?\]|[0-9A-Za-z._~-]+)"
    r"(:(?P<port>[0-9]{0,5}))?"
)
_MOST_PORT = 65_535


@attrs.frozen
class Authority:
    """A host in lower case, without brackets or the dot at its end, and a port, if one is given."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, raw: bytes) -> "Authority | None":
        """Return what the bytes name, None if they are anything else than a host and a port."""
        match = _AUTHORITY.fullmatch(raw.decode("ascii", "replace"))
        if match is None or (match["ipv6"] and not _is_ipv6(match["ipv6"])):
            return None
        host = match["name"].strip("[]").lower().removesuffix(".")
        port = int(match["port"]) if match["port"] else None
        return cls(host, port) if host and (port or 0) <= _MOST_PORT else None


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
