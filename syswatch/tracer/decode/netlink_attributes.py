"""Attributes: the length, the kind and the value of each thing that a message tells."""

import socket
import struct
from collections.abc import Callable, Mapping

import attrs

from .quoting import quoted, quoted_hex
from .sockaddr import interface
from .structures import Structure
from .symbols import Enumeration, FlagSet

_HEADER = struct.Struct("<HH")
_NESTED, _BIG_ENDIAN = 0x8000, 0x4000
_IPV4_BYTES, _IPV6_BYTES = 4, 16

# What makes text of a value, None where it is too short for that.
Value = Callable[[bytes], str | None]


@attrs.frozen
class Attributes:
    """The attributes of one kind of message."""

    names: Enumeration
    values: Mapping[int, Value]

    def texts(self, data: bytes, limit: int) -> list[str]:
        """Return all attributes as one text, or nothing where there are none."""
        shown: list[str] = []
        while len(data) >= _HEADER.size:
            size, kind = _HEADER.unpack_from(data)
            if len(shown) == limit:
                shown.append("...")
                break
            if size < _HEADER.size:
                break
            shown.append(self._text(size, kind, data[_HEADER.size : size], limit))
            data = data[-(-size // 4) * 4 :]
        if not shown:
            return []
        return [shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"]

    def _text(self, size: int, kind: int, value: bytes, limit: int) -> str:
        plain = kind & ~(_NESTED | _BIG_ENDIAN)
        prefix = "NLA_F_NESTED|" if kind & _NESTED else ""
        prefix += "NLA_F_NET_BYTEORDER|" if kind & _BIG_ENDIAN else ""
        header = f"{{nla_len={size}, nla_type={prefix}{self.names(plain)}}}"
        if not value:
            return header
        show = self.values.get(plain)
        shown = show(value) if show else None
        return f"[{header}, {shown or quoted_hex(value[:limit], more=len(value) > limit)}]"


def number(bytes_wide: int, text: Callable[[int], str] = str) -> Value:
    """PointerPrinter a number that has so many bytes."""

    def show(value: bytes) -> str | None:
        if len(value) < bytes_wide:
            return None
        return text(int.from_bytes(value[:bytes_wide], "little"))

    return show


def named(bytes_wide: int, names: Enumeration | FlagSet) -> Value:
    """PointerPrinter a number that has a name."""
    return number(bytes_wide, names)


def fields(structure: Structure) -> Value:
    """PointerPrinter a structure."""
    return lambda value: structure.text(value) if len(value) >= structure.size else None


def network(value: bytes) -> str | None:
    """Return a network address; its length tells the family."""
    if len(value) == _IPV4_BYTES:
        return f'inet_addr("{socket.inet_ntoa(value)}")'
    if len(value) == _IPV6_BYTES:
        return f'inet_pton(AF_INET6, "{ipv6(value)}")'
    return None


def ipv6(value: bytes) -> str:
    """Return an address as the C library writes it."""
    return socket.inet_ntop(socket.AF_INET6, value)


def hardware(value: bytes) -> str:
    """Return the address of a device."""
    return value.hex(":")


def text(value: bytes) -> str:
    """Return what stands before a NUL."""
    return quoted(value.partition(b"\0")[0])


device = number(4, interface)
