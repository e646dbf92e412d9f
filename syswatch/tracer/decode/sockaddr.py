"""Socket addresses (`struct sockaddr`)."""

import os
import socket
import struct
from collections.abc import Callable
from ipaddress import IPv6Address

from syswatch.model.catalog import ArgumentKind as Kind

from .names_sockets import ADDRESS_FAMILY
from .numbers import signed_32
from .quoting import quoted
from .traced_call import (
    Printers,
    TracedCall,
    address_text,
    follow,
    follow_on_success,
)

_FAMILY_BYTES = 2
# struct sockaddr_storage.
_MOST_READ = 128
_SOCKADDR_IN = struct.Struct(">2xH4s8x")
# sin6_scope_id is in host byte order, all other fields are in network byte order.
_SOCKADDR_IN6 = struct.Struct(">2xHI16s")
_SCOPE_ID = struct.Struct("<I")
_SOCKADDR_NL = struct.Struct("<4xII")


def _unix(data: bytes) -> str:
    path = data[_FAMILY_BYTES:]
    if not path:
        return ""  # An unnamed socket.
    if path[0]:
        return f", sun_path={quoted(path.partition(bytes(1))[0])}"
    return f", sun_path=@{quoted(path[1:])}"


def _inet(data: bytes) -> str:
    port, host = _SOCKADDR_IN.unpack_from(data)
    return f', sin_port=htons({port}), sin_addr=inet_addr("{socket.inet_ntoa(host)}")'


def _inet6(data: bytes) -> str:
    port, flow, address = _SOCKADDR_IN6.unpack_from(data)
    host = socket.inet_ntop(socket.AF_INET6, address)
    text = f", sin6_port=htons({port}), sin6_flowinfo=htonl({flow})"
    text += f', inet_pton(AF_INET6, "{host}", &sin6_addr)'
    return f"{text}, sin6_scope_id={_scope(data[_SOCKADDR_IN6.size :], address)}"


def _scope(data: bytes, address: bytes) -> str:
    # Some programs pass the shorter structure of RFC 2133, which ends before the scope.
    (scope,) = _SCOPE_ID.unpack(data[: _SCOPE_ID.size].ljust(_SCOPE_ID.size, b"\0"))
    # Only the scope of a link-local address is the index of an interface.
    return interface(scope) if IPv6Address(address).is_link_local else str(scope)


def interface(number: int) -> str:
    """Return the name of a network interface of this machine, or the index."""
    try:
        return f"if_nametoindex({quoted(os.fsencode(socket.if_indextoname(number)))})"
    except (OSError, OverflowError):
        return str(number)


def _netlink(data: bytes) -> str:
    pid, groups = _SOCKADDR_NL.unpack_from(data)
    text = f"{groups:#08x}" if groups else "00000000"
    return f", nl_pid={signed_32(pid)}, nl_groups={text}"


def _raw(data: bytes) -> str:
    return f", sa_data={quoted(data[_FAMILY_BYTES:])}" if len(data) > _FAMILY_BYTES else ""


_FAMILIES: dict[int, tuple[Callable[[bytes], str], int]] = {
    socket.AF_UNIX: (_unix, _FAMILY_BYTES),
    socket.AF_INET: (_inet, _SOCKADDR_IN.size),
    socket.AF_INET6: (_inet6, _SOCKADDR_IN6.size),
    socket.AF_NETLINK: (_netlink, _SOCKADDR_NL.size),
}


def socket_address(data: bytes) -> str:
    """Return an address, as bytes if it is too short for its family."""
    family = int.from_bytes(data[:_FAMILY_BYTES], "little")
    show, least = _FAMILIES.get(family, (_raw, 0))
    fields = show(data) if len(data) >= least else _raw(data)
    return f"{{sa_family={ADDRESS_FAMILY(family)}{fields}}}"


def read_address(call: TracedCall, address: int, length: int) -> str:
    """Return the socket address at an address in memory."""
    if not address:
        return "NULL"
    if length < _FAMILY_BYTES:
        return address_text(address)
    return socket_address(call.read(address, min(length, _MOST_READ)))


def _given(call: TracedCall, index: int, address: int) -> str:
    return read_address(call, address, signed_32(call.argument(index + 1)))


def _answer(call: TracedCall, index: int, address: int) -> str:
    length_pointer = call.argument(index + 1)
    size = call.before.get(index + 1)
    if not length_pointer or size is None:
        return address_text(address)
    return read_address(call, address, min(call.integer(length_pointer), size))


def _remember_length(call: TracedCall, index: int) -> int:
    return call.integer(call.argument(index))


def _length(call: TracedCall, index: int, address: int) -> str:
    before = call.before.get(index)
    if before is None:
        return f"{address:#x}"
    after = before if call.failed else call.integer(address)
    return f"[{after}]" if before == after else f"[{before} => {after}]"


PRINTERS = Printers(
    at_entry={Kind.SOCKADDR_IN: follow(_given)},
    at_exit={
        Kind.SOCKADDR_OUT: follow_on_success(_answer),
        Kind.SOCKLEN_INOUT: follow(_length),
    },
    saved_at_entry={Kind.SOCKLEN_INOUT: _remember_length},
)
