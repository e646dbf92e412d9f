"""Messages about sockets: which there are, and how they fare."""

import socket
import struct

from .names_sockets import ADDRESS_FAMILY, IP_PROTOCOL
from .netlink_attributes import Attributes, ipv6, number, text
from .numbers import hexadecimal
from .sockaddr import interface
from .structures import structure
from .symbols import FlagSet, enumeration, table

TYPES = "TCPDIAG_GETSOCK=18 DCCPDIAG_GETSOCK SOCK_DIAG_BY_FAMILY SOCK_DESTROY"
_BY_FAMILY = 20
_STATES = """
    TCP_ESTABLISHED=1 TCP_SYN_SENT TCP_SYN_RECV TCP_FIN_WAIT1 TCP_FIN_WAIT2 TCP_TIME_WAIT TCP_CLOSE
    TCP_CLOSE_WAIT TCP_LAST_ACK TCP_LISTEN TCP_CLOSING TCP_NEW_SYN_RECV
"""
_STATE = enumeration("TCP_???", _STATES)
_STATE_SET = FlagSet(
    {f"1<<{name}": 1 << number for name, number in table(_STATES).items()}, "TCP_???"
)
_NAMES = """
    INET_DIAG_NONE INET_DIAG_MEMINFO INET_DIAG_INFO INET_DIAG_VEGASINFO INET_DIAG_CONG INET_DIAG_TOS
    INET_DIAG_TCLASS INET_DIAG_SKMEMINFO INET_DIAG_SHUTDOWN INET_DIAG_DCTCPINFO INET_DIAG_PROTOCOL
    INET_DIAG_SKV6ONLY INET_DIAG_LOCALS INET_DIAG_PEERS INET_DIAG_PAD INET_DIAG_MARK
    INET_DIAG_BBRINFO INET_DIAG_CLASS_ID INET_DIAG_MD5SIG INET_DIAG_ULP_INFO
    INET_DIAG_SK_BPF_STORAGES INET_DIAG_CGROUP_ID INET_DIAG_SOCKOPT
"""
# Extensions are asked for by bits, of which the first is that of the second name.
_EXTENSIONS = FlagSet(
    {f"1<<({name}-1)": 1 << number - 1 for name, number in table(_NAMES).items() if number},
    "INET_DIAG_???",
)
_ASKED = struct.Struct("<BBBxI")
_ANSWERED = struct.Struct("<4B")
_ID = struct.Struct(">HH16s16s")
_ID_TAIL = struct.Struct("<III")
_ID_BYTES = _ID.size + _ID_TAIL.size
_STATISTICS = structure(
    "<5I",
    idiag_expires=str,
    idiag_rqueue=str,
    idiag_wqueue=str,
    idiag_uid=str,
    idiag_inode=str,
)
_FAMILIES = frozenset({socket.AF_INET, socket.AF_INET6})
_OPTIONS = tuple(
    table(
        """
        recverr is_icsk freebind hdrincl mc_loop transparent mc_all nodefrag bind_address_no_port
        recverr_rfc4884 defer_connect
        """
    )
)
_MEMORY = structure("<4I", idiag_rmem=str, idiag_wmem=str, idiag_fmem=str, idiag_tmem=str)


def _options(value: bytes) -> str:
    bits = int.from_bytes(value[:2], "little")
    shown = (f"{name}=1" for place, name in enumerate(_OPTIONS) if bits >> place & 1)
    return f"{{{', '.join(shown)}}}"


_ATTRIBUTES = Attributes(
    enumeration("INET_DIAG_???", _NAMES),
    {
        1: lambda value: _MEMORY.text(value) if len(value) >= _MEMORY.size else None,
        4: text,
        **dict.fromkeys((5, 6), number(1, hexadecimal)),
        **dict.fromkeys((8, 11), number(1)),
        **dict.fromkeys((15, 17), number(4)),
        21: number(8),
        22: _options,
    },
)


def payload(kind: int, data: bytes, limit: int) -> list[str]:
    """Return what a message asks or tells; nothing where it is of another family."""
    if kind != _BY_FAMILY or data[0] not in _FAMILIES:
        return []
    if len(data) == _ASKED.size + _ID_BYTES:
        return [_request(data)]
    if len(data) < _ANSWERED.size + _ID_BYTES + _STATISTICS.size:
        return []
    return _response(data, limit)


def _request(data: bytes) -> str:
    family, protocol, extensions, states = _ASKED.unpack_from(data)
    return (
        f"{{sdiag_family={ADDRESS_FAMILY(family)}, sdiag_protocol={IP_PROTOCOL(protocol)}, "
        f"idiag_ext={_EXTENSIONS(extensions)}, idiag_states={_STATE_SET(states)}, "
        f"id={_socket(data[_ASKED.size :], family)}}}"
    )


def _response(data: bytes, limit: int) -> list[str]:
    family, state, timer, tries = _ANSWERED.unpack_from(data)
    rest = data[_ANSWERED.size + _ID_BYTES :]
    parts = [
        f"idiag_family={ADDRESS_FAMILY(family)}",
        f"idiag_state={_STATE(state)}",
        f"idiag_timer={timer}",
        f"idiag_retrans={tries}",
        f"id={_socket(data[_ANSWERED.size :], family)}",
        *_STATISTICS.parts(rest),
    ]
    return [f"{{{', '.join(parts)}}}", *_ATTRIBUTES.texts(rest[_STATISTICS.size :], limit)]


def _socket(data: bytes, family: int) -> str:
    own_port, other_port, own, other = _ID.unpack_from(data)
    index, low, high = _ID_TAIL.unpack_from(data, _ID.size)
    if family == socket.AF_INET6:
        hosts = [
            f'inet_pton(AF_INET6, "{ipv6(host)}", &{name})'
            for name, host in (("idiag_src", own), ("idiag_dst", other))
        ]
    else:
        hosts = [
            f'{name}=inet_addr("{socket.inet_ntoa(host[:4])}")'
            for name, host in (("idiag_src", own), ("idiag_dst", other))
        ]
    return (
        f"{{idiag_sport=htons({own_port}), idiag_dport=htons({other_port}), {', '.join(hosts)}, "
        f"idiag_if={interface(index)}, idiag_cookie=[{low}, {high}]}}"
    )
