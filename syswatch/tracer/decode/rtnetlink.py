"""Messages about interfaces, addresses, routes and neighbours."""

from collections.abc import Mapping

import attrs

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
from .netlink_attributes import Attributes, device, fields, hardware, named, network, number, text
from .numbers import hexadecimal
from .sockaddr import interface
from .structures import Structure, structure
from .symbols import enumeration, table

TYPES = """
    RTM_NEWLINK=16 RTM_DELLINK RTM_GETLINK RTM_SETLINK RTM_NEWADDR RTM_DELADDR RTM_GETADDR
    RTM_NEWROUTE=24 RTM_DELROUTE RTM_GETROUTE RTM_NEWNEIGH=28 RTM_DELNEIGH RTM_GETNEIGH
    RTM_NEWRULE=32 RTM_DELRULE RTM_GETRULE RTM_NEWQDISC=36 RTM_DELQDISC RTM_GETQDISC
    RTM_NEWTCLASS=40 RTM_DELTCLASS RTM_GETTCLASS RTM_NEWTFILTER=44 RTM_DELTFILTER RTM_GETTFILTER
    RTM_NEWACTION=48 RTM_DELACTION RTM_GETACTION RTM_NEWPREFIX=52 RTM_GETMULTICAST=58
    RTM_GETANYCAST=62 RTM_NEWNEIGHTBL=64 RTM_GETNEIGHTBL=66 RTM_SETNEIGHTBL RTM_NEWNDUSEROPT=68
    RTM_NEWADDRLABEL=72 RTM_DELADDRLABEL RTM_GETADDRLABEL RTM_GETDCB=78 RTM_SETDCB
    RTM_NEWNETCONF=80 RTM_DELNETCONF RTM_GETNETCONF RTM_NEWMDB=84 RTM_DELMDB RTM_GETMDB
    RTM_NEWNSID=88 RTM_DELNSID RTM_GETNSID RTM_NEWSTATS=92 RTM_GETSTATS=94 RTM_NEWCACHEREPORT=96
"""
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
_STATISTICS = structure(f"<{len(_COUNTERS)}I", **dict.fromkeys(_COUNTERS, str))
_WIDE_COUNTERS = (*_COUNTERS, "rx_otherhost_dropped")
_WIDE_STATISTICS = structure(f"<{len(_WIDE_COUNTERS)}Q", **dict.fromkeys(_WIDE_COUNTERS, str))
_ADDRESS_TIMES = structure("<4I", ifa_prefered=str, ifa_valid=str, cstamp=str, tstamp=str)
_ROUTE_TIMES = structure(
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
_NEIGHBOUR_TIMES = structure(
    "<4I", ndm_confirmed=str, ndm_used=str, ndm_updated=str, ndm_refcnt=str
)
_LINKS = Attributes(
    enumeration("IFLA_???", LINK_ATTRIBUTES),
    {
        **dict.fromkeys((1, 2, 54), hardware),
        **dict.fromkeys((3, 6, 20, 38, 53, 56, 57), text),
        **dict.fromkeys((5, 10, 49), device),
        **dict.fromkeys((4, 13, 15, 21, 27, 30, 31, 32, 35, 40, 41), number(4)),
        **dict.fromkeys((47, 48, 50, 51, 58, 59, 60, 61), number(4)),
        **dict.fromkeys((16, 17, 33, 39), number(1)),
        7: fields(_STATISTICS),
        23: fields(_WIDE_STATISTICS),
        29: named(4, EXTENSIONS),
    },
)
_ADDRESSES = Attributes(
    enumeration("IFA_???", ADDRESS_ATTRIBUTES),
    {
        **dict.fromkeys((1, 2, 4, 5, 7), network),
        3: text,
        6: fields(_ADDRESS_TIMES),
        8: named(4, ADDRESS_FLAGS),
        9: number(4),
    },
)
_ROUTES = Attributes(
    enumeration("RTA_???", ROUTE_ATTRIBUTES),
    {
        **dict.fromkeys((1, 2, 5, 7), network),
        **dict.fromkeys((3, 4), device),
        **dict.fromkeys((6, 11, 25), number(4)),
        12: fields(_ROUTE_TIMES),
        15: named(4, ROUTE_TABLES),
        16: number(4, hexadecimal),
        20: number(1),
        23: number(4),
    },
)
_NEIGHBOURS = Attributes(
    enumeration("NDA_???", NEIGHBOUR_ATTRIBUTES),
    {
        1: network,
        2: hardware,
        3: fields(_NEIGHBOUR_TIMES),
        4: number(4),
        **dict.fromkeys((8, 9), device),
    },
)


@attrs.frozen
class _Subject:
    """What messages of four kinds are about."""

    structure: Structure
    attributes: Attributes


_SUBJECTS: Mapping[int, _Subject] = {
    16: _Subject(_LINK, _LINKS),
    20: _Subject(_ADDRESS, _ADDRESSES),
    24: _Subject(_ROUTE, _ROUTES),
    28: _Subject(_NEIGHBOUR, _NEIGHBOURS),
}


def payload(kind: int, data: bytes, limit: int) -> list[str]:
    """Return what a message tells; nothing where its kind is not taken apart."""
    subject = _SUBJECTS.get(kind & ~3)
    if subject is None:
        return []
    known = subject.structure
    if len(data) < known.size:
        name, text_of = known.fields[0]
        return [f"{{{name}={text_of(data[0])}, ...}}"]
    rest = data[-(-known.size // 4) * 4 :]
    return [known.text(data), *subject.attributes.texts(rest, limit)]
