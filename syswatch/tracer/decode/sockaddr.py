"""Addresses of sockets."""

import os
import socket
import struct
from collections.abc import Callable

from syswatch.model.catalog import ArgumentKind as Kind

from .names_sockets import ADDRESS_FAMILY
from .numbers import signed_32
from .quoting import quoted
from .traced_call import Printer, SaveAtEntry, TracedCall, address_text, follow, follow_on_success

_FAMILY_BYTES = 2
# The largest structure that any family has.
_LONGEST = 128
_PORT = struct.Struct(">H")
_LINK_LOCAL = (0xFE, 0x80)


def _unix(data: bytes) -> str:
    path = data[_FAMILY_BYTES:]
    if not path:
        return ""  # A socket that nobody has named.
    if path[0]:
        return f", sun_path={quoted(path.partition(bytes(1))[0])}"
    return f", sun_path=@{quoted(path[1:])}"


def _inet(data: bytes) -> str:
    (port,) = _PORT.unpack_from(data, 2)
    return f', sin_port=htons({port}), sin_addr=inet_addr("{socket.inet_ntoa(data[4:8])}")'


def _inet6(data: bytes) -> str:
    (port,) = _PORT.unpack_from(data, 2)
    (flow,) = struct.unpack_from(">I", data, 4)
    host = socket.inet_ntop(socket.AF_INET6, data[8:24])
    text = f", sin6_port=htons({port}), sin6_flowinfo=htonl({flow})"
    text += f', inet_pton(AF_INET6, "{host}", &sin6_addr)'
    return f"{text}, sin6_scope_id={_scope(data)}"


def _scope(data: bytes) -> str:
    scope = int.from_bytes(data[24:28], "little")
    # Only an address of one link needs the link to be named.
    if data[8] == _LINK_LOCAL[0] and data[9] & 0xC0 == _LINK_LOCAL[1]:
        return interface(scope)
    return str(scope)


def interface(number: int) -> str:
    """Return a network interface by name, if it is one of this machine's."""
    try:
        return f"if_nametoindex({quoted(os.fsencode(socket.if_indextoname(number)))})"
    except (OSError, OverflowError):
        return str(number)


def _netlink(data: bytes) -> str:
    pid, groups = struct.unpack_from("<II", data, 4)
    text = f"{groups:#08x}" if groups else "00000000"
    return f", nl_pid={signed_32(pid)}, nl_groups={text}"


def _raw(data: bytes) -> str:
    return f", sa_data={quoted(data[_FAMILY_BYTES:])}" if len(data) > _FAMILY_BYTES else ""


_FAMILIES: dict[int, tuple[Callable[[bytes], str], int]] = {
    socket.AF_UNIX: (_unix, 2),
    socket.AF_INET: (_inet, 16),
    socket.AF_INET6: (_inet6, 24),
    socket.AF_NETLINK: (_netlink, 12),
}


def socket_address(data: bytes) -> str:
    """Return an address; what is too short for its family is shown as bytes."""
    family = int.from_bytes(data[:_FAMILY_BYTES], "little")
    show, least = _FAMILIES.get(family, (_raw, 0))
    fields = show(data) if len(data) >= least else _raw(data)
    return f"{{sa_family={ADDRESS_FAMILY(family)}{fields}}}"


def read_address(call: TracedCall, address: int, length: int) -> str:
    """Return the address that is at an address."""
    if not address:
        return "NULL"
    if length < _FAMILY_BYTES:
        return address_text(address)
    return socket_address(call.read(address, min(length, _LONGEST)))


def _given(call: TracedCall, index: int, address: int) -> str:
    return read_address(call, address, signed_32(call.argument(index + 1)))


def _answer(call: TracedCall, index: int, address: int) -> str:
    length_at = call.argument(index + 1)
    room = call.before.get(index + 1)
    if not length_at or room is None:
        return address_text(address)
    return read_address(call, address, min(call.integer(length_at), room))


def _remember_length(call: TracedCall, index: int) -> int:
    return call.integer(call.argument(index))


def _length(call: TracedCall, index: int, address: int) -> str:
    before = call.before.get(index)
    if before is None:
        return f"{address:#x}"
    after = before if call.failed else call.integer(address)
    return f"[{after}]" if before == after else f"[{before} => {after}]"


AT_ENTRY: dict[Kind, Printer] = {Kind.SOCKADDR_IN: follow(_given)}
AT_EXIT: dict[Kind, Printer] = {
    Kind.SOCKADDR_OUT: follow_on_success(_answer),
    Kind.SOCKLEN_INOUT: follow(_length),
}
SAVE_AT_ENTRY: dict[Kind, SaveAtEntry] = {Kind.SOCKLEN_INOUT: _remember_length}
