"""Host names from what the target receives of name servers."""

from syswatch.model.objects import ObjectKind, Side

from .addresses import Address, Endpoint, SocketFacts, UnixAddress
from .dns import addresses_in_answer, addresses_in_reply
from .hosts import HostNames

_DNS_PORT = 53
_RESOLVED = UnixAddress(b"/run/systemd/resolve/io.systemd.Resolve")
# The calls that can receive an answer.
RECEIVING = frozenset({"read", "readv", "recvfrom", "recvmsg", "recvmmsg"})


def may_answer(facts: SocketFacts | None) -> bool:
    """Return whether answers of a name server may arrive at a socket."""
    if facts is None or facts.side in (Side.SERVER, Side.LISTENING):
        return False
    if facts.remote is None:
        # Each datagram has an address of its own.
        return facts.kind is ObjectKind.UDP
    return _is_name_server(facts.remote)


def learn(hosts: HostNames, facts: SocketFacts, data: bytes, source: Address | None = None) -> bool:
    """Learn the names in what was received from a name server; return whether it was one."""
    sender = facts.remote or source
    if not _is_name_server(sender):
        return False
    read = addresses_in_reply if sender == _RESOLVED else addresses_in_answer
    for ip, name in read(data).items():
        hosts.learn(ip, name)
    return True


def _is_name_server(address: Address | None) -> bool:
    return address == _RESOLVED or (isinstance(address, Endpoint) and address.port == _DNS_PORT)
