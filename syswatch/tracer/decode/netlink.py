"""Messages between programs and the network code of the kernel."""

import struct
from collections.abc import Callable, Mapping

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.tracer.errnos import NAMES

from . import inet_diag, rtnetlink
from .numbers import signed_32, unsigned_64
from .quoting import quoted_hex
from .strings import buffer_text
from .symbols import FlagSet, enumeration, flags
from .traced_call import Printer, TracedCall, UnreadableError, follow, follow_on_success

_HEADER = struct.Struct("<IHHIi")
_ALIGNED = 4
_INT_BYTES = 4
_ROUTE, _SOCK_DIAG = 0, 4
_TYPES = {
    _ROUTE: enumeration("NLMSG_???", rtnetlink.TYPES),
    _SOCK_DIAG: enumeration("NLMSG_???", inet_diag.TYPES),
}
_GENERAL = "NLMSG_NOOP=1 NLMSG_ERROR NLMSG_DONE NLMSG_OVERRUN"
_OWN_TYPES = enumeration("NLMSG_???", _GENERAL)
_COMMON = """
    NLM_F_REQUEST=1 NLM_F_MULTI=2 NLM_F_ACK=4 NLM_F_ECHO=8 NLM_F_DUMP_INTR=0x10
    NLM_F_DUMP_FILTERED=0x20
"""
_PLAIN = flags("NLM_F_???", _COMMON)
_ANSWERS = flags("NLM_F_???", f"{_COMMON} NLM_F_CAPPED=0x100 NLM_F_ACK_TLVS=0x200")
_ASKS = flags(
    "NLM_F_???", f"{_COMMON} NLM_F_DUMP=0x300 NLM_F_ROOT=0x100 NLM_F_MATCH=0x200 NLM_F_ATOMIC=0x400"
)
_MAKES = flags(
    "NLM_F_???",
    f"{_COMMON} NLM_F_REPLACE=0x100 NLM_F_EXCL=0x200 NLM_F_CREATE=0x400 NLM_F_APPEND=0x800",
)
_REMOVES = flags("NLM_F_???", f"{_COMMON} NLM_F_NONREC=0x100 NLM_F_BULK=0x200")
_NOOP, _ERROR, _DONE = 1, 2, 3
_FIRST_OWN = 16
# What the requests about routes do, by the lowest bits of their numbers.
_ROUTE_FLAGS: Mapping[int, FlagSet] = {0: _MAKES, 1: _REMOVES, 2: _ASKS}
_LONGEST = 1 << 16

Payload = Callable[[int, bytes, int], list[str]]
_PAYLOADS: Mapping[int, Payload] = {_ROUTE: rtnetlink.payload, _SOCK_DIAG: inet_diag.payload}


def _netlink_text(call: TracedCall, address: int, length: int) -> str | None:
    """Return the messages in a buffer of a netlink socket; None where it is of another kind."""
    if length < _HEADER.size:
        return None
    size, *_ = call.unpack(_HEADER, address)
    if not _HEADER.size <= size <= length:
        return None
    protocol = call.memory.netlink(signed_32(call.argument(0)))
    if protocol is None or protocol not in _PAYLOADS:
        return None
    return _messages(call.read(address, min(length, _LONGEST)), protocol, call)


def _messages(data: bytes, protocol: int, call: TracedCall) -> str:
    shown: list[str] = []
    limit = call.settings.string_limit
    while len(data) >= _HEADER.size:
        if len(shown) == limit:
            shown.append("...")
            break
        size = _HEADER.unpack_from(data)[0]
        shown.append(_message(data[: max(size, _HEADER.size)], protocol, limit))
        if size < _HEADER.size:
            break
        data = data[-(-size // _ALIGNED) * _ALIGNED :]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


def _message(data: bytes, protocol: int, limit: int) -> str:
    size, kind, bits, number, sender = _HEADER.unpack_from(data)
    name = (_OWN_TYPES if kind < _FIRST_OWN else _TYPES[protocol])(kind)
    header = (
        f"{{nlmsg_len={size}, nlmsg_type={name}, nlmsg_flags={_flags(kind, protocol)(bits)}, "
        f"nlmsg_seq={number}, nlmsg_pid={sender}}}"
    )
    body = data[_HEADER.size :]
    parts = _body(kind, body, protocol, limit) if body else []
    return f"[{', '.join([header, *parts])}]" if parts else header


def _flags(kind: int, protocol: int) -> FlagSet:
    if kind == _ERROR:
        return _ANSWERS
    if kind < _FIRST_OWN:
        return _PLAIN
    if protocol == _ROUTE:
        return _ROUTE_FLAGS.get(kind & 3, _PLAIN)
    return _ASKS


def _body(kind: int, data: bytes, protocol: int, limit: int) -> list[str]:
    if kind == _DONE and len(data) >= _INT_BYTES:
        return [str(struct.unpack_from("<i", data)[0])]
    if kind == _ERROR and len(data) >= _INT_BYTES:
        return [_failure(data, protocol, limit)]
    parts = _PAYLOADS[protocol](kind, data, limit) if kind >= _FIRST_OWN else []
    return parts or [quoted_hex(data[:limit], more=len(data) > limit)]


def _failure(data: bytes, protocol: int, limit: int) -> str:
    error = struct.unpack_from("<i", data)[0]
    name = NAMES.get(-error)
    text = f"error={f'-{name}' if name else error}"
    asked = data[_INT_BYTES:]
    if len(asked) < _HEADER.size:
        return f"{{{text}}}"
    return f"{{{text}, msg={_message(asked, protocol, limit)}}}"


def message_text(call: TracedCall, address: int, length: int) -> str:
    """Return the bytes of a message of a socket, taken apart where their form is known."""
    try:
        return _netlink_text(call, address, length) or buffer_text(call, address, length)
    except UnreadableError:
        return buffer_text(call, address, length)


def _given(call: TracedCall, index: int, address: int) -> str:
    return message_text(call, address, unsigned_64(call.argument(index + 1)))


def _received(call: TracedCall, _index: int, address: int) -> str:
    return message_text(call, address, call.ret)


AT_ENTRY: dict[Kind, Printer] = {Kind.DATAGRAM_IN: follow(_given)}
AT_EXIT: dict[Kind, Printer] = {Kind.DATAGRAM_OUT: follow_on_success(_received)}
