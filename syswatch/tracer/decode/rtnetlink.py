"""Messages of NETLINK_ROUTE: interfaces, addresses, routes and neighbours."""

from collections.abc import Mapping

from syswatch.base.classes import frozen
from syswatch.model.symbols import enumeration, table

from .names_interfaces import HARDWARE, INTERFACE_FLAGS
from .names_routes import (
    ADDRESS_ATTRIBUTES,
    ADDRESS_FLAGS,
    EXTENSIONS,
    LINK_ATTRIBUTES,
    NEIGHBOUR_ATTRIBUTES,
    NEIGHBOUR_FLAGS,
    NEIGHBOUR_STATES,
    ROUTE_ATTRIBUTES,
    ROUTE_FLAGS,
    ROUTE_KINDS,
    ROUTE_ORIGINS,
    ROUTE_SCOPES,
    ROUTE_TABLES,
)
from .names_sockets import ADDRESS_FAMILY
from .netlink_attributes import (
    NLA_ALIGNTO,
    Attributes,
    align,
    attributes,
    device,
    fields,
    hardware_address,
    named,
    network_address,
    number,
    text,
)
from .numbers import hexadecimal
from .sockaddr import interface
from .structures import Structure, structure

TYPES = enumeration(
    "NLMSG_???",
    """
    RTM_NEWLINK=16 RTM_DELLINK RTM_GETLINK RTM_SETLINK RTM_NEWADDR RTM_DELADDR RTM_GETADDR
    RTM_NEWROUTE=24 RTM_DELROUTE RTM_GETROUTE RTM_NEWNEIGH=28 RTM_DELNEIGH RTM_GETNEIGH
    RTM_NEWRULE=32 RTM_DELRULE RTM_GETRULE RTM_NEWQDISC=36 RTM_DELQDISC RTM_GETQDISC
    RTM_NEWTCLASS=40 RTM_DELTCLASS RTM_GETTCLASS RTM_NEWTFILTER=44 RTM_DELTFILTER RTM_GETTFILTER
    RTM_NEWACTION=48 RTM_DELACTION RTM_GETACTION RTM_NEWPREFIX=52 RTM_GETMULTICAST=58
    RTM_GETANYCAST=62 RTM_NEWNEIGHTBL=64 RTM_GETNEIGHTBL=66 RTM_SETNEIGHTBL RTM_NEWNDUSEROPT=68
    RTM_NEWADDRLABEL=72 RTM_DELADDRLABEL RTM_GETADDRLABEL RTM_GETDCB=78 RTM_SETDCB
    RTM_NEWNETCONF=80 RTM_DELNETCONF RTM_GETNETCONF RTM_NEWMDB=84 RTM_DELMDB RTM_GETMDB
    RTM_NEWNSID=88 RTM_DELNSID RTM_GETNSID RTM_NEWSTATS=92 RTM_GETSTATS=94 RTM_NEWCACHEREPORT=96
""",
)
_LINK = structure(
    "<BxHiII",
    ifi_family=ADDRESS_FAMILY,
    ifi_type=HARDWARE,
    ifi_index=interface,
    ifi_flags=INTERFACE_FLAGS,
    ifi_change=hexadecimal,
)
_ADDRESS = structure(
    "<BBBBI",
    ifa_family=ADDRESS_FAMILY,
    ifa_prefixlen=str,
    ifa_flags=ADDRESS_FLAGS,
    ifa_scope=ROUTE_SCOPES,
    ifa_index=interface,
)
_ROUTE = structure(
    "<BBBBBBBBI",
    rtm_family=ADDRESS_FAMILY,
    rtm_dst_len=str,
    rtm_src_len=str,
    rtm_tos=hexadecimal,
    rtm_table=ROUTE_TABLES,
    rtm_protocol=ROUTE_ORIGINS,
    rtm_scope=ROUTE_SCOPES,
    rtm_type=ROUTE_KINDS,
    rtm_flags=ROUTE_FLAGS,
)
_NEIGHBOUR = structure(
    "<B3xiHBB",
    ndm_family=ADDRESS_FAMILY,
    ndm_ifindex=interface,
    ndm_state=NEIGHBOUR_STATES,
    ndm_flags=NEIGHBOUR_FLAGS,
    ndm_type=ROUTE_KINDS,
)
_COUNTERS = tuple(
    table(
        """
        rx_packets tx_packets rx_bytes tx_bytes rx_errors tx_errors rx_dropped tx_dropped multicast
        collisions rx_length_errors rx_over_errors rx_crc_errors rx_frame_errors rx_fifo_errors
        rx_missed_errors tx_aborted_errors tx_carrier_errors tx_fifo_errors tx_heartbeat_errors
        tx_window_errors rx_compressed tx_compressed rx_nohandler
        """
    )
)
_LINK_STATS = structure(f"<{len(_COUNTERS)}I", **dict.fromkeys(_COUNTERS, str))
_COUNTERS_64 = (*_COUNTERS, "rx_otherhost_dropped")
_LINK_STATS_64 = structure(f"<{len(_COUNTERS_64)}Q", **dict.fromkeys(_COUNTERS_64, str))
_ADDRESS_CACHEINFO = structure("<4I", ifa_prefered=str, ifa_valid=str, cstamp=str, tstamp=str)
_ROUTE_CACHEINFO = structure(
    "<IIiIIIII",
    rta_clntref=str,
    rta_lastuse=str,
    rta_expires=str,
    rta_error=str,
    rta_used=str,
    rta_id=hexadecimal,
    rta_ts=str,
    rta_tsage=str,
)
_NEIGHBOUR_CACHEINFO = structure(
    "<4I", ndm_confirmed=str, ndm_used=str, ndm_updated=str, ndm_refcnt=str
)
_LINK_ATTRIBUTES = attributes(
    "IFLA_???",
    LINK_ATTRIBUTES,
    {
        "IFLA_ADDRESS IFLA_BROADCAST IFLA_PERM_ADDRESS": hardware_address,
        """
        IFLA_IFNAME IFLA_QDISC IFLA_IFALIAS IFLA_PHYS_PORT_NAME IFLA_ALT_IFNAME
        IFLA_PARENT_DEV_NAME IFLA_PARENT_DEV_BUS_NAME
        """: text,
        "IFLA_LINK IFLA_MASTER IFLA_NEW_IFINDEX": device,
        """
        IFLA_MTU IFLA_TXQLEN IFLA_WEIGHT IFLA_NUM_VF IFLA_GROUP IFLA_PROMISCUITY
        IFLA_NUM_TX_QUEUES IFLA_NUM_RX_QUEUES IFLA_CARRIER_CHANGES IFLA_GSO_MAX_SEGS
        IFLA_GSO_MAX_SIZE IFLA_CARRIER_UP_COUNT IFLA_CARRIER_DOWN_COUNT IFLA_MIN_MTU IFLA_MAX_MTU
        IFLA_GRO_MAX_SIZE IFLA_TSO_MAX_SIZE IFLA_TSO_MAX_SEGS IFLA_ALLMULTI
        """: number(4),
        "IFLA_OPERSTATE IFLA_LINKMODE IFLA_CARRIER IFLA_PROTO_DOWN": number(1),
        "IFLA_STATS": fields(_LINK_STATS),
        "IFLA_STATS64": fields(_LINK_STATS_64),
        "IFLA_EXT_MASK": named(4, EXTENSIONS),
    },
)
_ADDRESS_ATTRIBUTES = attributes(
    "IFA_???",
    ADDRESS_ATTRIBUTES,
    {
        "IFA_ADDRESS IFA_LOCAL IFA_BROADCAST IFA_ANYCAST IFA_MULTICAST": network_address,
        "IFA_LABEL": text,
        "IFA_CACHEINFO": fields(_ADDRESS_CACHEINFO),
        "IFA_FLAGS": named(4, ADDRESS_FLAGS),
        "IFA_RT_PRIORITY": number(4),
    },
)
_ROUTE_ATTRIBUTES = attributes(
    "RTA_???",
    ROUTE_ATTRIBUTES,
    {
        "RTA_DST RTA_SRC RTA_GATEWAY RTA_PREFSRC": network_address,
        "RTA_IIF RTA_OIF": device,
        "RTA_PRIORITY RTA_FLOW RTA_EXPIRES RTA_UID": number(4),
        "RTA_CACHEINFO": fields(_ROUTE_CACHEINFO),
        "RTA_TABLE": named(4, ROUTE_TABLES),
        "RTA_MARK": number(4, hexadecimal),
        "RTA_PREF": number(1),
    },
)
_NEIGHBOUR_ATTRIBUTES = attributes(
    "NDA_???",
    NEIGHBOUR_ATTRIBUTES,
    {
        "NDA_DST": network_address,
        "NDA_LLADDR": hardware_address,
        "NDA_CACHEINFO": fields(_NEIGHBOUR_CACHEINFO),
        "NDA_PROBES": number(4),
        "NDA_IFINDEX NDA_MASTER": device,
    },
)


@frozen
class _Family:
    """The header and the attributes of the messages about one thing."""

    header: Structure
    attributes: Attributes


# Types come in fours: RTM_NEW*, RTM_DEL*, RTM_GET* and RTM_SET*.
OPERATION_MASK = 3
_FAMILIES: Mapping[int, _Family] = {
    TYPES["RTM_NEWLINK"]: _Family(_LINK, _LINK_ATTRIBUTES),
    TYPES["RTM_NEWADDR"]: _Family(_ADDRESS, _ADDRESS_ATTRIBUTES),
    TYPES["RTM_NEWROUTE"]: _Family(_ROUTE, _ROUTE_ATTRIBUTES),
    TYPES["RTM_NEWNEIGH"]: _Family(_NEIGHBOUR, _NEIGHBOUR_ATTRIBUTES),
}


def payload(kind: int, data: bytes, limit: int) -> list[str]:
    """Return the content of a message; nothing if its type is not decoded."""
    family = _FAMILIES.get(kind & ~OPERATION_MASK)
    if family is None:
        return []
    header = family.header
    if len(data) < header.size:
        name, text_of = header.fields[0]
        return [f"{{{name}={text_of(data[0])}, ...}}"]
    rest = data[align(header.size, NLA_ALIGNTO) :]
    return [header.text(data), *family.attributes.texts(rest, limit)]
