"""Netlink messages, by which programs talk to the network code of the kernel."""

import struct
from collections.abc import Callable, Mapping

from syswatch.model.argument_names import NETLINK_PROTOCOL
from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.errnos import NAMES
from syswatch.model.symbols import FlagSet, enumeration, flags

from . import inet_diag, rtnetlink
from .netlink_attributes import align
from .numbers import signed_32, unsigned_64
from .quoting import quoted_hex
from .strings import buffer_text
from .traced_call import Printers, TracedCall, UnreadableError, follow, follow_on_success

_NLMSGHDR = struct.Struct("<IHHIi")
_NLMSG_ALIGNTO = 4
_ERROR_CODE = struct.Struct("<i")
_ROUTE = NETLINK_PROTOCOL["NETLINK_ROUTE"]
_SOCK_DIAG = NETLINK_PROTOCOL["NETLINK_SOCK_DIAG"]
_TYPES = {_ROUTE: rtnetlink.TYPES, _SOCK_DIAG: inet_diag.TYPES}
_CONTROL_TYPES = enumeration("NLMSG_???", "NLMSG_NOOP=1 NLMSG_ERROR NLMSG_DONE NLMSG_OVERRUN")
_ERROR, _DONE = _CONTROL_TYPES["NLMSG_ERROR"], _CONTROL_TYPES["NLMSG_DONE"]
# Types below this are the same for all protocols.
_NLMSG_MIN_TYPE = 16
_COMMON_FLAGS = """
    NLM_F_REQUEST=1 NLM_F_MULTI=2 NLM_F_ACK=4 NLM_F_ECHO=8 NLM_F_DUMP_INTR=0x10
    NLM_F_DUMP_FILTERED=0x20
"""
_CONTROL_FLAGS = flags("NLM_F_???", _COMMON_FLAGS)
_ERROR_FLAGS = flags("NLM_F_???", f"{_COMMON_FLAGS} NLM_F_CAPPED=0x100 NLM_F_ACK_TLVS=0x200")
_GET_FLAGS = flags(
    "NLM_F_???",
    f"{_COMMON_FLAGS} NLM_F_DUMP=0x300 NLM_F_ROOT=0x100 NLM_F_MATCH=0x200 NLM_F_ATOMIC=0x400",
)
_NEW_FLAGS = flags(
    "NLM_F_???",
    f"{_COMMON_FLAGS} NLM_F_REPLACE=0x100 NLM_F_EXCL=0x200 NLM_F_CREATE=0x400 NLM_F_APPEND=0x800",
)
_DELETE_FLAGS = flags("NLM_F_???", f"{_COMMON_FLAGS} NLM_F_NONREC=0x100 NLM_F_BULK=0x200")
_ROUTE_FLAGS = dict(enumerate((_NEW_FLAGS, _DELETE_FLAGS, _GET_FLAGS)))
_MOST_READ = 1 << 16

Payload = Callable[[int, bytes, int], list[str]]
_PAYLOADS: Mapping[int, Payload] = {_ROUTE: rtnetlink.payload, _SOCK_DIAG: inet_diag.payload}


def _netlink_text(call: TracedCall, address: int, length: int) -> str | None:
    """Return the messages in a buffer of a netlink socket; None if they cannot be decoded."""
    if length < _NLMSGHDR.size:
        return None
    size, *_ = call.unpack(_NLMSGHDR, address)
    if not _NLMSGHDR.size <= size <= length:
        return None
    protocol = call.memory.netlink(signed_32(call.argument(0)))
    if protocol is None or protocol not in _PAYLOADS:
        return None
    return _messages(call.read(address, min(length, _MOST_READ)), protocol, call)


def _messages(data: bytes, protocol: int, call: TracedCall) -> str:
    shown: list[str] = []
    limit = call.settings.string_limit
    while len(data) >= _NLMSGHDR.size:
        if len(shown) == limit:
            shown.append("...")
            break
        size = _NLMSGHDR.unpack_from(data)[0]
        shown.append(_message(data[: max(size, _NLMSGHDR.size)], protocol, limit))
        if size < _NLMSGHDR.size:
            break
        data = data[align(size, _NLMSG_ALIGNTO) :]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


def _message(data: bytes, protocol: int, limit: int) -> str:
    size, kind, bits, sequence, port = _NLMSGHDR.unpack_from(data)
    name = (_CONTROL_TYPES if kind < _NLMSG_MIN_TYPE else _TYPES[protocol])(kind)
    header = (
        f"{{nlmsg_len={size}, nlmsg_type={name}, nlmsg_flags={_flags(kind, protocol)(bits)}, "
        f"nlmsg_seq={sequence}, nlmsg_pid={port}}}"
    )
    body = data[_NLMSGHDR.size :]
    parts = _body(kind, body, protocol, limit) if body else []
    return f"[{', '.join([header, *parts])}]" if parts else header


def _flags(kind: int, protocol: int) -> FlagSet:
    if kind == _ERROR:
        return _ERROR_FLAGS
    if kind < _NLMSG_MIN_TYPE:
        return _CONTROL_FLAGS
    if protocol == _ROUTE:
        return _ROUTE_FLAGS.get(kind & rtnetlink.OPERATION_MASK, _CONTROL_FLAGS)
    return _GET_FLAGS


def _body(kind: int, data: bytes, protocol: int, limit: int) -> list[str]:
    if kind == _DONE and len(data) >= _ERROR_CODE.size:
        return [str(_ERROR_CODE.unpack_from(data)[0])]
    if kind == _ERROR and len(data) >= _ERROR_CODE.size:
        return [_error(data, protocol, limit)]
    parts = _PAYLOADS[protocol](kind, data, limit) if kind >= _NLMSG_MIN_TYPE else []
    return parts or [quoted_hex(data[:limit], more=len(data) > limit)]


def _error(data: bytes, protocol: int, limit: int) -> str:
    error = _ERROR_CODE.unpack_from(data)[0]
    name = NAMES.get(-error)
    text = f"error={f'-{name}' if name else error}"
    request = data[_ERROR_CODE.size :]
    if len(request) < _NLMSGHDR.size:
        return f"{{{text}}}"
    return f"{{{text}, msg={_message(request, protocol, limit)}}}"


def message_text(call: TracedCall, address: int, length: int) -> str:
    """Return the content of a buffer that is sent or received, decoded if it is netlink."""
    try:
        return _netlink_text(call, address, length) or buffer_text(call, address, length)
    except UnreadableError:
        return buffer_text(call, address, length)


def _given(call: TracedCall, index: int, address: int) -> str:
    return message_text(call, address, unsigned_64(call.argument(index + 1)))


def _received(call: TracedCall, _index: int, address: int) -> str:
    return message_text(call, address, call.ret)


PRINTERS = Printers(
    at_entry={Kind.DATAGRAM_IN: follow(_given)},
    at_exit={Kind.DATAGRAM_OUT: follow_on_success(_received)},
)
