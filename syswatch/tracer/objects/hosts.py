"""
Names of services and hosts, without any query to a name server.

Host names come from /etc/hosts, and from what the target itself has looked up.
"""

import socket
from functools import lru_cache
from pathlib import Path

import attrs

from syswatch.base.text import escape_text

_HOSTS = Path("/etc/hosts")
# The names of more hosts are forgotten, the oldest first.
_MOST_LEARNT = 10_000


@lru_cache(maxsize=4096)
def service_of(protocol: str, port: int) -> str:
    """Return the usual service of a port of `tcp` or `udp`, as /etc/services has it."""
    try:
        return escape_text(socket.getservbyport(port, protocol))
    except (OSError, OverflowError):
        return ""


def read_hosts(path: Path = _HOSTS) -> dict[str, str]:
    """Return the first name of each address in /etc/hosts."""
    try:
        lines = path.read_bytes().decode(errors="replace").splitlines()
    except OSError:
        return {}
    names: dict[str, str] = {}
    for line in lines:
        address, *aliases = line.partition("#")[0].split() or [""]
        if aliases:
            names.setdefault(address, escape_text(aliases[0]))
    return names


@attrs.define
class HostNames:
    """The names of addresses: those that the target has looked up, and those of /etc/hosts."""

    _of_file: dict[str, str] = attrs.field(factory=read_hosts)
    _learnt: dict[str, str] = attrs.field(factory=dict, init=False)

    def learn(self, ip: str, name: str) -> None:
        """Note an address that the target has received for a name."""
        self._learnt.pop(ip, None)
        self._learnt[ip] = escape_text(name)
        if len(self._learnt) > _MOST_LEARNT:
            del self._learnt[next(iter(self._learnt))]

    def name_of(self, ip: str) -> str:
        """Return the name of an address, or nothing."""
        return self._learnt.get(ip) or self._of_file.get(ip, "")
