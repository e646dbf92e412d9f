"""Requests of ioctl about network interfaces (`struct ifreq`, `struct ifconf`)."""

import struct
from collections.abc import Callable

from syswatch.model.ioctl_requests import IOCTL_REQUEST

from .names_interfaces import HARDWARE, INTERFACE_FLAGS, hardware_address
from .numbers import hexadecimal
from .quoting import quoted
from .sockaddr import socket_address
from .traced_call import TracedCall, address_text

_IFNAMSIZ = 16
# The size of the union in struct ifreq, by the size of a pointer.
_UNION_BYTES = {8: 24, 4: 16}
_SOCKADDR_BYTES = 16
_SHORT_BYTES, _INT_BYTES = 2, 4
_IFMAP = {8: struct.Struct("<QQHBBB"), 4: struct.Struct("<IIHBBB")}
_IFMAP_FIELDS = ("mem_start", "mem_end", "base_addr", "irq", "dma", "port")
_IFCONF = {8: struct.Struct("<i4xQ"), 4: struct.Struct("<iI")}
_SIOCGIFNAME, _SIOCGIFCONF = IOCTL_REQUEST["SIOCGIFNAME"], IOCTL_REQUEST["SIOCGIFCONF"]


def _name(data: bytes) -> str:
    return quoted(data[:_IFNAMSIZ].partition(b"\0")[0])


def _number(data: bytes) -> str:
    return str(int.from_bytes(data[:_INT_BYTES], "little", signed=True))


def _flags(data: bytes) -> str:
    return INTERFACE_FLAGS(int.from_bytes(data[:_SHORT_BYTES], "little"))


def _address(data: bytes) -> str:
    return socket_address(data[:_SOCKADDR_BYTES])


def _hardware(data: bytes) -> str:
    kind = int.from_bytes(data[:_SHORT_BYTES], "little")
    shown = hardware_address(kind, data[_SHORT_BYTES:_SOCKADDR_BYTES])
    return f"{{sa_family={HARDWARE(kind)}, sa_data={shown}}}"


def _map(data: bytes) -> str:
    layout = _IFMAP[4 if len(data) < _UNION_BYTES[8] else 8]
    numbers = zip(_IFMAP_FIELDS, layout.unpack_from(data), strict=True)
    return f"{{{', '.join(f'{name}={hexadecimal(number)}' for name, number in numbers)}}}"


Text = Callable[[bytes], str]
_SETS_HARDWARE_ADDRESS = "SIOCSIFHWADDR SIOCADDMULTI SIOCDELMULTI SIOCSIFHWBROADCAST"
# For each request the field of the union, and whether the kernel fills it in.
_FIELDS: dict[int, tuple[str, Text, bool]] = {
    request: (field, text, fills)
    for field, text, gets, sets in (
        ("ifr_flags", _flags, "SIOCGIFFLAGS", "SIOCSIFFLAGS"),
        ("ifr_addr", _address, "SIOCGIFADDR", "SIOCSIFADDR"),
        ("ifr_dstaddr", _address, "SIOCGIFDSTADDR", "SIOCSIFDSTADDR"),
        ("ifr_broadaddr", _address, "SIOCGIFBRDADDR", "SIOCSIFBRDADDR"),
        ("ifr_netmask", _address, "SIOCGIFNETMASK", "SIOCSIFNETMASK"),
        ("ifr_metric", _number, "SIOCGIFMETRIC", "SIOCSIFMETRIC"),
        ("ifr_mtu", _number, "SIOCGIFMTU", "SIOCSIFMTU"),
        ("ifr_newname", _name, "", "SIOCSIFNAME"),
        ("ifr_hwaddr", _hardware, "SIOCGIFHWADDR", _SETS_HARDWARE_ADDRESS),
        ("ifr_slave", _name, "SIOCGIFSLAVE", "SIOCSIFSLAVE"),
        ("ifr_ifindex", _number, "SIOCGIFINDEX", ""),
        ("ifr_qlen", _number, "SIOCGIFTXQLEN", "SIOCSIFTXQLEN"),
        ("ifr_map", _map, "SIOCGIFMAP", "SIOCSIFMAP"),
    )
    for fills, names in ((True, gets), (False, sets))
    for request in IOCTL_REQUEST.numbers(names)
}
INTERFACE_REQUESTS = frozenset({*_FIELDS, _SIOCGIFNAME, _SIOCGIFCONF})


def interface_request(call: TracedCall, request: int, address: int) -> str:
    """Return the structure of a request, with the field that it sets or gets."""
    if request == _SIOCGIFCONF:
        return _listed(call, address)
    data = call.read(address, _IFNAMSIZ + _UNION_BYTES[call.settings.word_size])
    name, value = f"ifr_name={_name(data)}", data[_IFNAMSIZ:]
    if request == _SIOCGIFNAME:
        index = f"ifr_ifindex={_number(value)}"
        return f"{{{index}}}" if call.failed else f"{{{index}, {name}}}"
    field, text, fills = _FIELDS[request]
    return f"{{{name}}}" if fills and call.failed else f"{{{name}, {field}={text(value)}}}"


def _listed(call: TracedCall, address: int) -> str:
    length, at = call.unpack(_IFCONF[call.settings.word_size], address)
    size = _IFNAMSIZ + _UNION_BYTES[call.settings.word_size]
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
    return f"{{ifr_name={_name(data)}, ifr_addr={_address(data[_IFNAMSIZ:])}}}"
