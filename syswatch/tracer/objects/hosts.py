"""
Names of services and hosts, without any query to a name server.

Host names come from /etc/hosts, and from what the target itself has looked up.
"""

import socket
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import attrs

from syswatch.base.classes import define
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


@define
class HostNames:
    """The names of addresses: those that the target has looked up, else those of /etc/hosts."""

    _of_file: Mapping[str, str] = attrs.field(factory=dict)
    _learnt: dict[str, str] = attrs.field(factory=dict, init=False)
    # What was learnt since it was last taken.
    _news: dict[str, str] = attrs.field(factory=dict, init=False)

    def learn(self, ip: str, name: str) -> None:
        """Note an address that the target has received for a name."""
        before = self._learnt.pop(ip, None)
        self._learnt[ip] = name = escape_text(name)
        if name != before:
            self._news[ip] = name
        for names in (self._learnt, self._news):
            if len(names) > _MOST_LEARNT:
                del names[next(iter(names))]

    def take(self) -> Mapping[str, str]:
        """Return what was learnt since the last time."""
        news, self._news = self._news, {}
        return news

    def name_of(self, ip: str) -> str:
        """Return the name of an address, or nothing."""
        return self._learnt.get(ip) or self._of_file.get(ip, "")
