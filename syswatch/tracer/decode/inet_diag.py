"""Messages of NETLINK_SOCK_DIAG, which list sockets and their state."""

import socket
import struct

from syswatch.model.argument_names import IP_PROTOCOL
from syswatch.model.symbols import FlagSet, enumeration, table

from .names_sockets import ADDRESS_FAMILY
from .netlink_attributes import attributes, fields, ipv6, number, text
from .numbers import hexadecimal
from .sockaddr import interface
from .structures import structure

TYPES = enumeration(
    "NLMSG_???", "TCPDIAG_GETSOCK=18 DCCPDIAG_GETSOCK SOCK_DIAG_BY_FAMILY SOCK_DESTROY"
)
_BY_FAMILY = TYPES["SOCK_DIAG_BY_FAMILY"]
_STATES = """
    TCP_ESTABLISHED=1 TCP_SYN_SENT TCP_SYN_RECV TCP_FIN_WAIT1 TCP_FIN_WAIT2 TCP_TIME_WAIT TCP_CLOSE
    TCP_CLOSE_WAIT TCP_LAST_ACK TCP_LISTEN TCP_CLOSING TCP_NEW_SYN_RECV
"""
_STATE = enumeration("TCP_???", _STATES)
_STATE_SET = FlagSet(
    {f"1<<{name}": 1 << number for name, number in table(_STATES).items()}, "TCP_???"
)
_EXTENSION_NAMES = """
    INET_DIAG_NONE INET_DIAG_MEMINFO INET_DIAG_INFO INET_DIAG_VEGASINFO INET_DIAG_CONG INET_DIAG_TOS
    INET_DIAG_TCLASS INET_DIAG_SKMEMINFO INET_DIAG_SHUTDOWN INET_DIAG_DCTCPINFO INET_DIAG_PROTOCOL
    INET_DIAG_SKV6ONLY INET_DIAG_LOCALS INET_DIAG_PEERS INET_DIAG_PAD INET_DIAG_MARK
    INET_DIAG_BBRINFO INET_DIAG_CLASS_ID INET_DIAG_MD5SIG INET_DIAG_ULP_INFO
    INET_DIAG_SK_BPF_STORAGES INET_DIAG_CGROUP_ID INET_DIAG_SOCKOPT
"""
# A request has a bit for each extension, counted from the second name.
_EXTENSIONS = FlagSet(
    {
        f"1<<({name}-1)": 1 << number - 1
        for name, number in table(_EXTENSION_NAMES).items()
        if number
    },
    "INET_DIAG_???",
)
_REQUEST = struct.Struct("<BBBxI")
_RESPONSE = struct.Struct("<4B")
# struct inet_diag_sockid: ports and addresses are in network byte order, the rest is not.
_SOCKID = struct.Struct(">HH16s16s")
_SOCKID_TAIL = struct.Struct("<III")
_SOCKID_BYTES = _SOCKID.size + _SOCKID_TAIL.size
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


_ATTRIBUTES = attributes(
    "INET_DIAG_???",
    _EXTENSION_NAMES,
    {
        "INET_DIAG_MEMINFO": fields(_MEMORY),
        "INET_DIAG_CONG": text,
        "INET_DIAG_TOS INET_DIAG_TCLASS": number(1, hexadecimal),
        "INET_DIAG_SHUTDOWN INET_DIAG_SKV6ONLY": number(1),
        "INET_DIAG_MARK INET_DIAG_CLASS_ID": number(4),
        "INET_DIAG_CGROUP_ID": number(8),
        "INET_DIAG_SOCKOPT": _options,
    },
)


def payload(kind: int, data: bytes, limit: int) -> list[str]:
    """Return the content of a message; nothing if it is not about Internet sockets."""
    if kind != _BY_FAMILY or data[0] not in _FAMILIES:
        return []
    if len(data) == _REQUEST.size + _SOCKID_BYTES:
        return [_request(data)]
    if len(data) < _RESPONSE.size + _SOCKID_BYTES + _STATISTICS.size:
        return []
    return _response(data, limit)


def _request(data: bytes) -> str:
    family, protocol, extensions, states = _REQUEST.unpack_from(data)
    return (
        f"{{sdiag_family={ADDRESS_FAMILY(family)}, sdiag_protocol={IP_PROTOCOL(protocol)}, "
        f"idiag_ext={_EXTENSIONS(extensions)}, idiag_states={_STATE_SET(states)}, "
        f"id={_socket(data[_REQUEST.size :], family)}}}"
    )


def _response(data: bytes, limit: int) -> list[str]:
    family, state, timer, tries = _RESPONSE.unpack_from(data)
    rest = data[_RESPONSE.size + _SOCKID_BYTES :]
    parts = [
        f"idiag_family={ADDRESS_FAMILY(family)}",
        f"idiag_state={_STATE(state)}",
        f"idiag_timer={timer}",
        f"idiag_retrans={tries}",
        f"id={_socket(data[_RESPONSE.size :], family)}",
        *_STATISTICS.parts(rest),
    ]
    return [f"{{{', '.join(parts)}}}", *_ATTRIBUTES.texts(rest[_STATISTICS.size :], limit)]


def _socket(data: bytes, family: int) -> str:
    local_port, remote_port, local, remote = _SOCKID.unpack_from(data)
    index, low, high = _SOCKID_TAIL.unpack_from(data, _SOCKID.size)
    if family == socket.AF_INET6:
        hosts = [
            f'inet_pton(AF_INET6, "{ipv6(host)}", &{name})'
            for name, host in (("idiag_src", local), ("idiag_dst", remote))
        ]
    else:
        hosts = [
            f'{name}=inet_addr("{socket.inet_ntoa(host[:4])}")'
            for name, host in (("idiag_src", local), ("idiag_dst", remote))
        ]
    return (
        f"{{idiag_sport=htons({local_port}), idiag_dport=htons({remote_port}), {', '.join(hosts)}, "
        f"idiag_if={interface(index)}, idiag_cookie=[{low}, {high}]}}"
    )
