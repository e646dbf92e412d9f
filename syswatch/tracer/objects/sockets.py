"""
What the kernel knows of sockets that exist: their addresses, their sides and their peers.

`read_facts` asks a socket itself, by a copy of the descriptor that exists for some microseconds.
`SocketTables` finds sockets by their inodes in /proc/PID/net, for a process that must not be
touched.  A connection older than the trace was begun by its peer if its local port is listened on,
or if only the port of the peer is one that the kernel gives to clients.
"""

import ctypes
import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import PROC, read_link
from syswatch.model.objects import ObjectKind, Side

from .addresses import Address, Endpoint, SocketFacts, UnixAddress, endpoint, socket_kind

_LIBC = ctypes.CDLL(None, use_errno=True)
# The number is the same on all architectures.
_SYS_PIDFD_GETFD = 438
_PEER_CREDENTIALS = struct.Struct("3i")
_PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
USUAL_PORT_RANGE = range(32768, 61000)
_TCP_LISTEN = "0A"
_UNIX_LISTENS = 0x10000
_INTERNET_TABLES = (
    ("tcp", socket.AF_INET, ObjectKind.TCP),
    ("tcp6", socket.AF_INET6, ObjectKind.TCP),
    ("udp", socket.AF_INET, ObjectKind.UDP),
    ("udp6", socket.AF_INET6, ObjectKind.UDP),
)


def read_facts(pid: int, fd: int) -> SocketFacts | None:
    """Return what is known of a socket of a process; None without permission."""
    try:
        process = os.pidfd_open(pid)
    except OSError:
        return None
    try:
        copy = _LIBC.syscall(_SYS_PIDFD_GETFD, process, fd, 0)
    finally:
        os.close(process)
    if copy < 0:
        return None
    try:
        return _facts(copy)
    except OSError:
        return None
    finally:
        os.close(copy)


def _facts(fd: int) -> SocketFacts:
    with _borrowed(fd) as own:
        kind = socket_kind(own.family, own.type)
        facts = SocketFacts(kind, own.family, _address(own.getsockname))
        if _option(own, socket.SO_ACCEPTCONN):
            return facts._replace(side=Side.LISTENING)
        facts = facts._replace(remote=_address(own.getpeername))
        if kind is ObjectKind.UNIX and facts.remote is not None:
            return facts._replace(peer=_peer_pid(own))
        return facts


class _borrowed:  # noqa: N801  used as a function
    """A socket object that leaves its descriptor open."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)

    def __enter__(self) -> socket.socket:
        return self._socket

    def __exit__(self, *_: object) -> None:
        self._socket.detach()


def _option(own: socket.socket, option: int) -> int:
    try:
        return own.getsockopt(socket.SOL_SOCKET, option)
    except OSError:
        return 0


def _peer_pid(own: socket.socket) -> int:
    """Return which process connected to or made the other end; 0 in another PID namespace."""
    with suppress(OSError):
        size = _PEER_CREDENTIALS.size
        data = own.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
        pid: int = _PEER_CREDENTIALS.unpack(data)[0]
        return pid
    return 0


def _address(read: Callable[[], object]) -> Address | None:
    """Return an address as Python gives it; that of a socket without a port is none."""
    try:
        given = read()
    except OSError:
        return None
    if isinstance(given, str | bytes):
        return UnixAddress(os.fsencode(given))
    if isinstance(given, tuple) and len(given) >= 2 and isinstance(given[0], str):  # noqa: PLR2004
        return _endpoint(given[0].partition("%")[0], given[1])
    return None


def _endpoint(ip: str, port: object) -> Endpoint | None:
    if not isinstance(port, int) or not port:
        return None
    with suppress(OSError):
        family = socket.AF_INET6 if ":" in ip else socket.AF_INET
        return endpoint(socket.inet_pton(family, ip), port)
    return None


@define
class SocketTables:
    """The sockets in /proc/PID/net, by network namespace and inode."""

    proc: Path = PROC
    _tables: dict[bytes, dict[int, SocketFacts]] = attrs.field(factory=dict, init=False)

    def find(self, pid: int, inode: int) -> SocketFacts | None:
        """Return a socket; an inode that was not there before makes the tables be read again."""
        namespace = read_link(pid, "ns/net")
        table = self._tables.get(namespace, {})
        if inode not in table:
            table = self._tables[namespace] = dict(_sockets(self.proc / str(pid) / "net"))
        return table.get(inode)

    def listening_ports(self, pid: int) -> frozenset[int]:
        """Return the TCP ports that are listened on in the namespace of a process."""
        return frozenset(
            facts.local.port
            for _, facts in _sockets(self.proc / str(pid) / "net", kinds=("tcp", "tcp6"))
            if facts.side is Side.LISTENING and isinstance(facts.local, Endpoint)
        )


def ephemeral_ports(path: Path = _PORT_RANGE) -> range:
    """Return the ports that the kernel gives to clients."""
    try:
        first, last = map(int, path.read_text().split())
    except (OSError, ValueError):
        return USUAL_PORT_RANGE
    return range(first, last + 1)


def with_side(facts: SocketFacts, listening: frozenset[int], ephemeral: range) -> SocketFacts:
    """Return what is known of a socket that is older than the trace, with its side."""
    local, remote = facts.local, facts.remote
    if facts.side is not Side.UNKNOWN or facts.kind is not ObjectKind.TCP:
        return facts
    if not isinstance(local, Endpoint) or not isinstance(remote, Endpoint):
        return facts
    is_server = local.port in listening or (
        local.port not in ephemeral and remote.port in ephemeral
    )
    return facts._replace(side=Side.SERVER if is_server else Side.CLIENT)


def _sockets(
    folder: Path, kinds: tuple[str, ...] = ("tcp", "tcp6", "udp", "udp6", "unix")
) -> Iterator[tuple[int, SocketFacts]]:
    for name, family, kind in _INTERNET_TABLES:
        if name in kinds:
            for line in _lines(folder / name):
                with suppress(ValueError, IndexError):
                    yield _internet_socket(line.split(), family, kind)
    if "unix" in kinds:
        for line in _lines(folder / "unix"):
            with suppress(ValueError, IndexError):
                yield _unix_socket(line)


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()[1:]
    except OSError:
        return []


def _internet_socket(fields: list[bytes], family: int, kind: ObjectKind) -> tuple[int, SocketFacts]:
    local, remote = (_packed(field) for field in fields[1:3])
    side = Side.UNKNOWN
    if kind is ObjectKind.TCP and fields[3].decode() == _TCP_LISTEN:
        side = Side.LISTENING
    facts = SocketFacts(kind, family, local, remote if remote.port else None, side)
    return int(fields[9]), facts


def _packed(field: bytes) -> Endpoint:
    """Return an address that is printed as words in the byte order of the machine."""
    address, _, port = field.partition(b":")
    words = bytes.fromhex(address.decode())
    packed = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
    return endpoint(packed, int(port, 16))


def _unix_socket(line: bytes) -> tuple[int, SocketFacts]:
    fields = line.split(None, 7)
    path = fields[7] if len(fields) > 7 else b""  # noqa: PLR2004  it may be missing
    if path.startswith(b"@"):
        path = b"\0" + path[1:]
    side = Side.LISTENING if int(fields[3], 16) & _UNIX_LISTENS else Side.UNKNOWN
    local = UnixAddress(path) if path else None
    return int(fields[6]), SocketFacts(ObjectKind.UNIX, socket.AF_UNIX, local, None, side)
