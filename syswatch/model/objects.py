"""
Objects: what system calls act on, such as files, connections, locks and children.

An object is identified by its kind and name, so the same file or peer has the same ID in every
tracer, log and recording, and tables of different origin can be added.
"""

import enum
from functools import lru_cache
from typing import Self

from syswatch.base.classes import frozen
from syswatch.base.hashing import blake2b

# The integers that a reader of JSON holds exactly have 53 bits.
_ID_BITS = 52
# Smaller IDs are not hashes.
_FIXED_IDS = 64


class ObjectKind(enum.Enum):
    """
    A kind of object, with its singular, its plural and its namespace.

    Kinds that share a namespace share names: a path is one object, whatever it turns out to be.
    """

    # Calls without an object, such as getpid.
    NONE = "none", "no object", "no object", ""
    # A path that a call names without opening it.
    PATH = "path", "path", "paths", "path"
    FILE = "file", "file", "files", "path"
    DIRECTORY = "directory", "directory", "directories", "path"
    DEVICE = "device", "device", "devices", "path"
    TTY = "tty", "terminal", "terminals", "path"
    PIPE = "pipe", "pipe", "pipes", "pipe"
    UNIX = "unix", "Unix socket", "Unix sockets", "unix"
    TCP = "tcp", "TCP peer", "TCP peers", "tcp"
    UDP = "udp", "UDP peer", "UDP peers", "udp"
    SOCKET = "socket", "other socket", "other sockets", "socket"
    EVENTFD = "eventfd", "eventfd", "eventfds", "eventfd"
    TIMERFD = "timerfd", "timerfd", "timerfds", "timerfd"
    SIGNALFD = "signalfd", "signalfd", "signalfds", "signalfd"
    INOTIFY = "inotify", "file watch", "file watches", "inotify"
    EPOLL = "epoll", "epoll", "epolls", "epoll"
    MEMFD = "memfd", "memory file", "memory files", "memfd"
    IO_URING = "io_uring", "io_uring", "io_urings", "io_uring"
    DESCRIPTOR = "descriptor", "other descriptor", "other descriptors", "descriptor"
    FUTEX = "futex", "futex", "futexes", "futex"
    SLEEP = "sleep", "sleep", "sleeps", "sleep"
    CHILD = "child", "child process", "child processes", "child"
    SIGNAL = "signal", "signal", "signals", "signal"
    # What ended a wait for several descriptors when none of them was ready.
    TIMEOUT = "timeout", "timeout", "timeouts", "timeout"

    def __new__(cls, value: str, *_: str) -> Self:
        """Make the first text the value."""
        kind = object.__new__(cls)
        kind._value_ = value
        return kind

    def __init__(self, _value: str, title: str, plural: str, namespace: str) -> None:
        self.title = title
        self.plural = plural
        self.namespace = namespace


class Side(enum.Enum):
    """Which side began a connection, as seen from the traced process."""

    UNKNOWN = ""
    # It connected to the peer, so a wait is for an answer.
    CLIENT = "client"
    # The peer connected to it, so a wait is for a request.
    SERVER = "server"
    LISTENING = "listening"


# How the names of sockets begin that have no other side.
_WITHOUT_PEER = ("listening", "unconnected")


def names_peer(name: str) -> bool:
    """Return whether the name of a socket is that of its other side."""
    return not name.startswith(_WITHOUT_PEER)


@frozen
class ObjectInfo:
    """What is known of an object; `name` is a path, an address, a command, and so on."""

    kind: ObjectKind
    name: str = ""
    # Facts for people, such as the processes at the ends of a pipe.
    detail: str = ""
    # The local address of a socket.
    local: str = ""
    # The usual service of a port, and the host name that the target itself has looked up.
    service: str = ""
    host: str = ""
    side: Side = Side.UNKNOWN
    # The PIDs at its ends, or that of a child.
    pids: tuple[int, ...] = ()

    @property
    def id(self) -> int:
        """Return the ID that the kind and the name determine."""
        return object_id(self.kind, self.name)

    def __add__(self, other: "ObjectInfo") -> "ObjectInfo":
        """Merge two descriptions of one object; the result does not depend on their order."""
        first, second = sorted((self, other), key=_certainty)
        return ObjectInfo(
            kind=first.kind,
            name=first.name or second.name,
            detail=max(self.detail, other.detail),
            local=max(self.local, other.local),
            service=max(self.service, other.service),
            host=max(self.host, other.host),
            side=Side(max(self.side.value, other.side.value)),
            pids=tuple(sorted({*self.pids, *other.pids}))[:_MOST_PIDS],
        )


_MOST_PIDS = 16
_KINDS = tuple(ObjectKind)
_PLACES = {kind: place for place, kind in enumerate(_KINDS)}
NO_OBJECT = 0


@lru_cache(maxsize=1 << 14)
def object_id(kind: ObjectKind, name: str) -> int:
    """Return the ID of an object; it is the same everywhere."""
    if not name:
        return other_object(kind)
    digest = blake2b(f"{kind.namespace}:{name}".encode(errors="surrogateescape"), digest_size=8)
    number = int.from_bytes(digest.digest()) >> (64 - _ID_BITS)
    return number if number >= _FIXED_IDS else number + _FIXED_IDS


def other_object(kind: ObjectKind) -> int:
    """Return the ID of the object that stands for all of a kind without a name or row."""
    return _PLACES[kind]


def kind_of_other(number: int) -> ObjectKind | None:
    """Return the kind that an ID stands for as a whole; None for the ID of one object."""
    return _KINDS[number] if number < len(_KINDS) else None


def _certainty(info: ObjectInfo) -> tuple[bool, int]:
    # What is known to be a file is not only a path.
    return info.kind is ObjectKind.PATH, _PLACES[info.kind]
