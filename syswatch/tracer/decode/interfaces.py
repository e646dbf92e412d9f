"""What ioctl asks of network interfaces and tells them."""

import struct
from collections.abc import Callable

from .names_interfaces import HARDWARE, INTERFACE_FLAGS, hardware_address
from .numbers import hexadecimal
from .quoting import quoted
from .sockaddr import socket_address
from .traced_call import TracedCall, address_text

_NAME_BYTES = 16
_VALUE_BYTES = {8: 24, 4: 16}
_ADDRESS_BYTES = 16
_MAP = {8: struct.Struct("<QQHBBB"), 4: struct.Struct("<IIHBBB")}
_MAP_FIELDS = ("mem_start", "mem_end", "base_addr", "irq", "dma", "port")
_LIST = {8: struct.Struct("<i4xQ"), 4: struct.Struct("<iI")}
_GET_NAME, _GET_LIST = 0x8910, 0x8912


def _name(data: bytes) -> str:
    return quoted(data[:_NAME_BYTES].partition(b"\0")[0])


def _number(data: bytes) -> str:
    return str(int.from_bytes(data[:4], "little", signed=True))


def _flags(data: bytes) -> str:
    return INTERFACE_FLAGS(int.from_bytes(data[:2], "little"))


def _address(data: bytes) -> str:
    return socket_address(data[:_ADDRESS_BYTES])


def _hardware(data: bytes) -> str:
    kind = int.from_bytes(data[:2], "little")
    shown = hardware_address(kind, data[2:_ADDRESS_BYTES])
    return f"{{sa_family={HARDWARE(kind)}, sa_data={shown}}}"


def _map(data: bytes) -> str:
    layout = _MAP[4 if len(data) < _VALUE_BYTES[8] else 8]
    numbers = zip(_MAP_FIELDS, layout.unpack_from(data), strict=True)
    return f"{{{', '.join(f'{name}={hexadecimal(number)}' for name, number in numbers)}}}"


Text = Callable[[bytes], str]
# The field that each request is about, and whether the kernel fills it in.
_FIELDS: dict[int, tuple[str, Text, bool]] = {
    request: (field, text, fills)
    for field, text, gets, sets in (
        ("ifr_flags", _flags, (0x8913,), (0x8914,)),
        ("ifr_addr", _address, (0x8915,), (0x8916,)),
        ("ifr_dstaddr", _address, (0x8917,), (0x8918,)),
        ("ifr_broadaddr", _address, (0x8919,), (0x891A,)),
        ("ifr_netmask", _address, (0x891B,), (0x891C,)),
        ("ifr_metric", _number, (0x891D,), (0x891E,)),
        ("ifr_mtu", _number, (0x8921,), (0x8922,)),
        ("ifr_newname", _name, (), (0x8923,)),
        ("ifr_hwaddr", _hardware, (0x8927,), (0x8924, 0x8931, 0x8932, 0x8937)),
        ("ifr_slave", _name, (0x8929,), (0x8930,)),
        ("ifr_ifindex", _number, (0x8933,), ()),
        ("ifr_qlen", _number, (0x8942,), (0x8943,)),
        ("ifr_map", _map, (0x8970,), (0x8971,)),
    )
    for fills, requests in ((True, gets), (False, sets))
    for request in requests
}
REQUESTS = frozenset({*_FIELDS, _GET_NAME, _GET_LIST})


def interface_request(call: TracedCall, request: int, address: int) -> str:
    """Return the structure that a request is given, and what the kernel has put into it."""
    if request == _GET_LIST:
        return _listed(call, address)
    data = call.read(address, _NAME_BYTES + _VALUE_BYTES[call.settings.word_size])
    name, value = f"ifr_name={_name(data)}", data[_NAME_BYTES:]
    if request == _GET_NAME:
        index = f"ifr_ifindex={_number(value)}"
        return f"{{{index}}}" if call.failed else f"{{{index}, {name}}}"
    field, text, fills = _FIELDS[request]
    return f"{{{name}}}" if fills and call.failed else f"{{{name}, {field}={text(value)}}}"


def _listed(call: TracedCall, address: int) -> str:
    length, at = call.unpack(_LIST[call.settings.word_size], address)
    size = _NAME_BYTES + _VALUE_BYTES[call.settings.word_size]
    count = max(length, 0) // size
    whole = length > 0 and not length % size
    shown = f"{length} /* {count} * sizeof(struct ifreq) */" if whole else str(length)
    entries = address_text(at)
    if at and not call.failed:
        limit = call.settings.string_limit
        texts = [_entry(call.read(at + n * size, size)) for n in range(min(count, limit))]
        entries = f"[{', '.join([*texts, '...'] if count > limit else texts)}]"
    return f"{{ifc_len={shown}, ifc_buf={entries}}}"


def _entry(data: bytes) -> str:
    return f"{{ifr_name={_name(data)}, ifr_addr={_address(data[_NAME_BYTES:])}}}"
