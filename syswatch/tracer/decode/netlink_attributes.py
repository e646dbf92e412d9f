"""
Attributes of netlink messages (`struct nlattr`): a length, a type and a value each.

They follow the structure of a message, aligned to four bytes.
"""

import socket
import struct
from collections.abc import Callable, Mapping

from syswatch.base.classes import frozen
from syswatch.model.symbols import Enumeration, FlagSet, enumeration

from .quoting import quoted, quoted_hex
from .sockaddr import interface
from .structures import Structure

_NLATTR = struct.Struct("<HH")
_NLA_F_NESTED, _NLA_F_NET_BYTEORDER = 0x8000, 0x4000
_NLA_TYPE_MASK = 0x3FFF
NLA_ALIGNTO = 4
_IPV4_BYTES, _IPV6_BYTES = 4, 16

# Formats a value; None if it is too short.
ValuePrinter = Callable[[bytes], str | None]


@frozen
class Attributes:
    """The attributes of one kind of message, and how their values are printed."""

    types: Enumeration
    printers: Mapping[int, ValuePrinter]

    def texts(self, data: bytes, limit: int) -> list[str]:
        """Return all attributes as one text, or nothing if there are none."""
        shown: list[str] = []
        while len(data) >= _NLATTR.size:
            size, kind = _NLATTR.unpack_from(data)
            if len(shown) == limit:
                shown.append("...")
                break
            if size < _NLATTR.size:
                break
            shown.append(self._text(size, kind, data[_NLATTR.size : size], limit))
            data = data[align(size, NLA_ALIGNTO) :]
        if not shown:
            return []
        return [shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"]

    def _text(self, size: int, kind: int, value: bytes, limit: int) -> str:
        plain = kind & _NLA_TYPE_MASK
        prefix = "NLA_F_NESTED|" if kind & _NLA_F_NESTED else ""
        prefix += "NLA_F_NET_BYTEORDER|" if kind & _NLA_F_NET_BYTEORDER else ""
        header = f"{{nla_len={size}, nla_type={prefix}{self.types(plain)}}}"
        if not value:
            return header
        printer = self.printers.get(plain)
        shown = printer(value) if printer else None
        return f"[{header}, {shown or quoted_hex(value[:limit], more=len(value) > limit)}]"


def attributes(unknown: str, types: str, printers: Mapping[str, ValuePrinter]) -> Attributes:
    """Describe attributes: a table of their types, and a printer for each of some types."""
    names = enumeration(unknown, types)
    return Attributes(names, names.by_number(printers))


def align(size: int, to: int) -> int:
    """Return a size rounded up."""
    return -(-size // to) * to


def number(width: int, text: Callable[[int], str] = str) -> ValuePrinter:
    """Print a number of so many bytes."""

    def show(value: bytes) -> str | None:
        if len(value) < width:
            return None
        return text(int.from_bytes(value[:width], "little"))

    return show


def named(width: int, names: Enumeration | FlagSet) -> ValuePrinter:
    """Print the name of a number of so many bytes."""
    return number(width, names)


def fields(structure: Structure) -> ValuePrinter:
    """Print a structure."""
    return lambda value: structure.text(value) if len(value) >= structure.size else None


def network_address(value: bytes) -> str | None:
    """Return a network address, whose length determines the family."""
    if len(value) == _IPV4_BYTES:
        return f'inet_addr("{socket.inet_ntoa(value)}")'
    if len(value) == _IPV6_BYTES:
        return f'inet_pton(AF_INET6, "{ipv6(value)}")'
    return None


def ipv6(value: bytes) -> str:
    """Return an address as the C library prints it."""
    return socket.inet_ntop(socket.AF_INET6, value)


def hardware_address(value: bytes) -> str:
    """Return the link-layer address of a device."""
    return value.hex(":")


def text(value: bytes) -> str:
    """Return a string, which ends with the first NUL."""
    return quoted(value.partition(b"\0")[0])


device = number(4, interface)
