"""Names in calls about sockets."""

from syswatch.model.argument_names import IP_PROTOCOL, NETLINK_PROTOCOL, SOCKET_LEVEL, SOCKET_TYPE
from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .numbers import unsigned_32
from .traced_call import Printers, TracedCall

ADDRESS_FAMILY = enumeration(
    "AF_???",
    """
    AF_UNSPEC AF_UNIX AF_INET AF_AX25 AF_IPX AF_APPLETALK AF_NETROM AF_BRIDGE AF_ATMPVC AF_X25
    AF_INET6 AF_ROSE AF_DECnet AF_NETBEUI AF_SECURITY AF_KEY AF_NETLINK AF_PACKET AF_ASH AF_ECONET
    AF_ATMSVC AF_RDS AF_SNA AF_IRDA AF_PPPOX AF_WANPIPE AF_LLC AF_IB AF_MPLS AF_CAN AF_TIPC
    AF_BLUETOOTH AF_IUCV AF_RXRPC AF_ISDN AF_PHONET AF_IEEE802154 AF_CAIF AF_ALG AF_NFC AF_VSOCK
    AF_KCM AF_QIPCRTR AF_SMC AF_XDP AF_MCTP
    """,
)
MSG_FLAGS = flags(
    "MSG_???",
    """
    MSG_OOB=0x1 MSG_PEEK=0x2 MSG_DONTROUTE=0x4 MSG_CTRUNC=0x8 MSG_PROBE=0x10 MSG_TRUNC=0x20
    MSG_DONTWAIT=0x40 MSG_EOR=0x80 MSG_WAITALL=0x100 MSG_FIN=0x200 MSG_SYN=0x400
    MSG_CONFIRM=0x800 MSG_RST=0x1000 MSG_ERRQUEUE=0x2000 MSG_NOSIGNAL=0x4000 MSG_MORE=0x8000
    MSG_WAITFORONE=0x10000 MSG_SENDPAGE_NOTLAST=0x20000 MSG_BATCH=0x40000
    MSG_NO_SHARED_FRAGS=0x80000 MSG_ZEROCOPY=0x4000000 MSG_FASTOPEN=0x20000000
    MSG_CMSG_CLOEXEC=0x40000000 MSG_CMSG_COMPAT=0x80000000
    """,
)
_SOCKET_FLAGS = flags("SOCK_???", "SOCK_CLOEXEC=0x80000 SOCK_NONBLOCK=0x800")


def _socket_type(value: int) -> str:
    value = unsigned_32(value)
    found, kind = _SOCKET_FLAGS.split(value)
    first = [SOCKET_TYPE(kind)] if kind else []
    return "|".join([*first, *found]) or "0"


_PROTOCOLS = ADDRESS_FAMILY.by_number(
    {"AF_INET AF_INET6": IP_PROTOCOL, "AF_NETLINK": NETLINK_PROTOCOL}
)


def _protocol(call: TracedCall, index: int) -> str:
    value = call.argument(index)
    # A pair can only have the one protocol of its family, which strace prints as a number.
    names = _PROTOCOLS.get(call.argument(index - 2)) if call.name == "socket" else None
    return names(value) if names else str(unsigned_32(value))


PRINTERS = Printers(
    numbers={
        Kind.SOCKET_DOMAIN: ADDRESS_FAMILY,
        Kind.SOCKET_TYPE: _socket_type,
        Kind.SOCKET_FLAGS: _SOCKET_FLAGS,
        Kind.MSG_FLAGS: MSG_FLAGS,
        Kind.SHUTDOWN_HOW: enumeration("SHUT_???", "SHUT_RD SHUT_WR SHUT_RDWR"),
        Kind.SOCKOPT_LEVEL: SOCKET_LEVEL,
    },
    registers={Kind.SOCKET_PROTOCOL: _protocol},
)
