"""Calls that make sockets, or change what a socket is."""

import os
from functools import partial

from syswatch.model.objects import ObjectInfo, ObjectKind, Side

from . import describe
from .addresses import Address, Endpoint, SocketFacts, UnixAddress, socket_kind
from .descriptors import Descriptors, Found
from .effect import Effect, add, descriptor, owner
from .observed import ObservedCall

_CLOEXEC = os.O_CLOEXEC
_MSG_CMSG_CLOEXEC = 0x40000000
_PAIR = 2
# The calls that send messages.
SENDING = frozenset({"sendto", "sendmsg", "sendmmsg"})


def _socketpair(tables: Descriptors, call: ObservedCall) -> None:
    fds = call.descriptors(3)
    if len(fds) == _PAIR:
        info = describe.socket_pair((fds[0], fds[1]), owner(call))
        for fd in fds:
            add(tables, call, fd, Found(info), cloexec=bool(call.number(1) & _CLOEXEC))


def _socket(tables: Descriptors, call: ObservedCall) -> None:
    family = call.number(0)
    facts = SocketFacts(socket_kind(family, call.number(1)), family)
    _add_socket(tables, call, facts, cloexec=bool(call.number(1) & _CLOEXEC))


def _accept(tables: Descriptors, call: ObservedCall, *, flags: int | None) -> None:
    listening = tables.description(call.tid, descriptor(call, 0))
    facts = listening.socket if listening is not None else None
    remote = call.address(1)
    if facts is None:
        kind = ObjectKind.TCP if isinstance(remote, Endpoint) else ObjectKind.UNIX
        facts = SocketFacts(kind if remote is not None else ObjectKind.SOCKET)
    facts = facts._replace(remote=remote, side=Side.SERVER)
    cloexec = flags is not None and bool(call.number(flags) & _CLOEXEC)
    _add_socket(tables, call, facts, cloexec=cloexec)


def _add_socket(
    tables: Descriptors, call: ObservedCall, facts: SocketFacts, *, cloexec: bool
) -> None:
    found = _found(tables, call, call.result, facts)
    tables.opened(call.tid, call.result, found, cloexec=cloexec)


def _found(tables: Descriptors, call: ObservedCall, fd: int, facts: SocketFacts) -> Found:
    """Return what is known of a socket: what the source finds out, and the side from the call."""
    found = tables.resolve(call.tid, fd)
    if found is not None and found.socket is not None:
        side = facts.side if facts.side is not Side.UNKNOWN else found.socket.side
        facts = found.socket._replace(side=side)
    elif found is not None and facts.kind is ObjectKind.SOCKET:
        return found
    return Found(describe.socket(facts, fd, owner(call)), facts)


def _bind(tables: Descriptors, call: ObservedCall) -> None:
    _change_socket(tables, call, local=call.address(1))


def _listen(tables: Descriptors, call: ObservedCall) -> None:
    _change_socket(tables, call, side=Side.LISTENING)


def _connect(tables: Descriptors, call: ObservedCall) -> None:
    address = call.address(1)
    # Other families dissolve the connection of a datagram socket.
    if isinstance(address, Endpoint | UnixAddress):
        _change_socket(tables, call, remote=address, side=Side.CLIENT)


def peer_of(tables: Descriptors, call: ObservedCall) -> ObjectInfo | None:
    """Return the peer that a connect is for, whether or not it will succeed; None if unknown."""
    address = call.address(1)
    description = tables.description(call.tid, descriptor(call, 0))
    if description is None:
        return None
    if isinstance(address, Endpoint) and description.kind in (ObjectKind.TCP, ObjectKind.UDP):
        return describe.internet_socket(description.kind, None, address, Side.CLIENT)
    if isinstance(address, UnixAddress) and address.path:
        return describe.unix_socket(address.path, Side.CLIENT)
    return None


def destinations_of(tables: Descriptors, call: ObservedCall, clients: range) -> list[ObjectInfo]:
    """
    Return the peers to which a call sends messages by a socket that is not connected.

    `clients` are the ports that the kernel gives to clients.
    """
    description = tables.description(call.tid, descriptor(call, 0))
    facts = description.socket if description is not None else None
    if facts is not None and facts.remote is not None:
        return []
    local = facts.local if facts is not None else None
    peers = []
    for address in call.destinations():
        if isinstance(address, Endpoint):
            # Only a server has a port of its own and clients with any.
            own = local if isinstance(local, Endpoint) else None
            is_server = own is not None and own.port not in clients and address.port in clients
            side = Side.SERVER if is_server else Side.CLIENT
            peers.append(describe.internet_socket(ObjectKind.UDP, own, address, side))
        elif isinstance(address, UnixAddress) and address.path:
            peers.append(describe.unix_socket(address.path, Side.CLIENT))
    return peers


def may_have_destinations(facts: SocketFacts | None) -> bool:
    """Return whether messages that are sent by a socket may have addresses of their own."""
    return facts is None or (facts.remote is None and facts.kind is not ObjectKind.TCP)


def _change_socket(
    tables: Descriptors,
    call: ObservedCall,
    local: Address | None = None,
    remote: Address | None = None,
    side: Side = Side.UNKNOWN,
) -> None:
    fd = descriptor(call, 0)
    description = tables.description(call.tid, fd)
    if description is None:
        return
    facts = description.socket or SocketFacts(description.kind)
    facts = facts._replace(
        local=local or facts.local,
        remote=remote or facts.remote,
        side=side if side is not Side.UNKNOWN else facts.side,
    )
    tables.redescribe(description, _found(tables, call, fd, facts))


def _receive(tables: Descriptors, call: ObservedCall, *, flags: int) -> None:
    cloexec = bool(call.number(flags) & _MSG_CMSG_CLOEXEC)
    for fd in call.received(1):
        info = describe.from_link(b"", fd, owner(call))
        add(tables, call, fd, Found(info), cloexec=cloexec)


EFFECTS: dict[str, Effect] = {
    "accept": partial(_accept, flags=None),
    "accept4": partial(_accept, flags=3),
    "bind": _bind,
    "connect": _connect,
    "listen": _listen,
    "recvmmsg": partial(_receive, flags=3),
    "recvmsg": partial(_receive, flags=2),
    "socket": _socket,
    "socketpair": _socketpair,
}
