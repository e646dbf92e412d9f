"""Socket addresses as values."""

import os
import socket
import struct
from typing import NamedTuple

from syswatch.model.objects import ObjectKind, Side

_FAMILY_BYTES = 2
_INET = struct.Struct(">2xH4s")
_INET6 = struct.Struct(">2xHI16s")
_NETLINK = struct.Struct("<4xI")
_INTERNET = (socket.AF_INET, socket.AF_INET6)
_KINDS = {
    int(socket.SOCK_STREAM): ObjectKind.TCP,
    int(socket.SOCK_DGRAM): ObjectKind.UDP,
}
# The bits above are flags.
_TYPE_BITS = 0xF
# An IPv4 address as seen through an IPv6 socket.
_MAPPED = bytes(10) + b"\xff\xff"


class Endpoint(NamedTuple):
    """An Internet address with a port; an IPv4 address in an IPv6 socket is an IPv4 address."""

    ip: str
    port: int

    def __str__(self) -> str:
        return f"[{self.ip}]:{self.port}" if ":" in self.ip else f"{self.ip}:{self.port}"

    @property
    def host(self) -> str:
        """The address without the port, in brackets if it contains colons."""
        return f"[{self.ip}]" if ":" in self.ip else self.ip


class UnixAddress(NamedTuple):
    """The path of a Unix socket, empty for an unnamed one; an abstract one begins with NUL."""

    path: bytes


class OtherAddress(NamedTuple):
    """An address of another family, as its number."""

    family: int


Address = Endpoint | UnixAddress | OtherAddress


class SocketFacts(NamedTuple):
    """What is known of a socket; the peer is the PID at the other end of a Unix socket."""

    kind: ObjectKind
    family: int = 0
    local: Address | None = None
    remote: Address | None = None
    side: Side = Side.UNKNOWN
    peer: int = 0


def socket_kind(family: int, type_and_flags: int) -> ObjectKind:
    """Return the kind of a socket from the first two arguments of `socket`."""
    if family == socket.AF_UNIX:
        return ObjectKind.UNIX
    if family in _INTERNET:
        return _KINDS.get(type_and_flags & _TYPE_BITS, ObjectKind.SOCKET)
    return ObjectKind.SOCKET


def endpoint(packed: bytes, port: int) -> Endpoint:
    """Return an address from its 4 or 16 bytes in network order."""
    packed = packed.removeprefix(_MAPPED)
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6  # noqa: PLR2004
    return Endpoint(socket.inet_ntop(family, packed), port)


def parse_address(data: bytes) -> Address | None:
    """Return the address in a `struct sockaddr`; None if it is too short."""
    if len(data) < _FAMILY_BYTES:
        return None
    family = int.from_bytes(data[:_FAMILY_BYTES], "little")
    if family == socket.AF_UNIX:
        return UnixAddress(_unix_path(data[_FAMILY_BYTES:]))
    if family == socket.AF_INET and len(data) >= _INET.size:
        port, packed = _INET.unpack_from(data)
        return endpoint(packed, port)
    if family == socket.AF_INET6 and len(data) >= _INET6.size:
        port, _, packed = _INET6.unpack_from(data)
        return endpoint(packed, port)
    return OtherAddress(family)


def unix_name(path: bytes) -> str:
    """Return the path of a Unix socket, with `@` for the NUL of an abstract one."""
    return os.fsdecode(b"@" + path[1:] if path.startswith(b"\0") else _unix_path(path))


def _unix_path(path: bytes) -> bytes:
    # An abstract name extends to the end of the structure and may contain NUL.
    return path if path.startswith(b"\0") else path.partition(b"\0")[0]
