"""
The names of objects.

Every tracer describes objects by these functions.  What they take as bytes is text from outside:
it is escaped and bounded here.  The same object must get the same name everywhere, so a name never
depends on the tracer or on when the object was seen first.
"""

import os
import socket as sockets
import stat
from typing import NamedTuple

from syswatch.base.text import escape_text
from syswatch.model.objects import ObjectInfo, ObjectKind, Side

from .addresses import Endpoint, SocketFacts, UnixAddress, unix_name
from .hosts import service_of
from .texts import bounded, bounded_path

_DELETED = b" (deleted)"
_MEMFD = b"/memfd:"
# The major numbers of consoles and of both kinds of pseudo-terminals.
_TTY_MAJORS = frozenset({4, 5, *range(136, 144)})
_TTY_PATHS = (b"/dev/pts/", b"/dev/tty", b"/dev/console")
# A device by its path, if its type is not known; POSIX shared memory consists of files.
_DEVICES = b"/dev/"
_DEVICE_FILES = (b"/dev/shm/", b"/dev/hugepages/", b"/dev/mqueue/")
# What /proc shows of descriptors that have no path, without `anon_inode:` and brackets.
_ANONYMOUS = {
    "eventfd": ObjectKind.EVENTFD,
    "timerfd": ObjectKind.TIMERFD,
    "signalfd": ObjectKind.SIGNALFD,
    "inotify": ObjectKind.INOTIFY,
    "eventpoll": ObjectKind.EPOLL,
    "io_uring": ObjectKind.IO_URING,
}
_TITLES = {"eventpoll": "epoll"}
# An inode has 64 bits.
_MOST_DIGITS = 20
_SECOND_NS = 1_000_000_000
_UNITS = ((_SECOND_NS, "s"), (1_000_000, "ms"), (1000, "µs"), (1, "ns"))


class Owner(NamedTuple):
    """A process, as it is part of names."""

    pid: int
    comm: str = ""

    def __str__(self) -> str:
        return f"{self.comm} ({self.pid})" if self.comm else f"process {self.pid}"


class FileType(NamedTuple):
    """The mode of an inode and, of a device, its number; a mode of 0 is not known."""

    mode: int = 0
    device: int = 0


UNKNOWN_TYPE = FileType()
ANY_CHILD = ObjectInfo(ObjectKind.CHILD, "any child")
SIGNALS = ObjectInfo(ObjectKind.SIGNAL, "signals")
TIMED_OUT = ObjectInfo(ObjectKind.TIMEOUT, "timed out")


def from_link(link: bytes, fd: int, owner: Owner, file_type: FileType = UNKNOWN_TYPE) -> ObjectInfo:
    """
    Return the object of a descriptor from its link in /proc/PID/fd.

    A socket is described by its inode only; `internet_socket` and `unix_socket` say more.
    """
    if link.startswith(_MEMFD):
        return memory_file(link[len(_MEMFD) :].removesuffix(_DELETED))
    if link.startswith(b"/"):
        return opened(link, file_type)
    kind, colon, rest = link.partition(b":")
    inode = _number(rest)
    if kind == b"pipe" and inode is not None:
        return pipe(inode)
    if kind == b"socket" and inode is not None:
        return unknown_socket(inode)
    if kind == b"anon_inode" and colon:
        return anonymous(escape_text(rest).strip("[]"), fd, owner)
    # A namespace, such as `net:[4026531840]`, or something newer than this program.
    return ObjectInfo(ObjectKind.DESCRIPTOR, bounded(link) or f"descriptor {fd} of {owner}")


def inode_of(link: bytes) -> int | None:
    """Return the inode of a link such as `socket:[123]` or `pipe:[123]`."""
    return _number(link.partition(b":")[2])


def opened(path: bytes, file_type: FileType = UNKNOWN_TYPE) -> ObjectInfo:
    """Return the object of an absolute path that a descriptor refers to."""
    is_deleted = path.endswith(_DELETED)
    path = path.removesuffix(_DELETED)
    kind = _kind_by_mode(file_type) or _kind_by_path(path)
    return ObjectInfo(kind, bounded_path(path), detail="deleted" if is_deleted else "")


def path(text: bytes, base: bytes = b"") -> ObjectInfo:
    """Return the object of a path that a call names, relative to a directory if that is known."""
    return ObjectInfo(ObjectKind.PATH, bounded_path(full_path(text, base)))


def full_path(text: bytes, base: bytes = b"") -> bytes:
    """
    Return a path joined to its directory, without repeated slashes and dots.

    `..` is kept: where it leads depends on symbolic links.
    """
    if base and not text.startswith(b"/"):
        text = base.removesuffix(_DELETED) + b"/" + text
    # `find` is faster than `in`, which tries whether these bytes are a number first.
    if text.find(b"//") < 0 and text.find(b"/.") < 0 and not text.startswith(b"./"):
        return text.rstrip(b"/") or text[:1]
    parts = [part for part in text.split(b"/") if part not in (b"", b".")]
    return (b"/" if text.startswith(b"/") else b"") + b"/".join(parts) or b"."


def memory_file(name: bytes) -> ObjectInfo:
    """Return a file of memfd_create."""
    return ObjectInfo(ObjectKind.MEMFD, bounded(name) or "unnamed")


def anonymous(title: str, fd: int, owner: Owner) -> ObjectInfo:
    """Return what has no name, such as an eventfd: by descriptor and process where first seen."""
    kind = _ANONYMOUS.get(title, ObjectKind.DESCRIPTOR)
    return ObjectInfo(kind, bounded(f"{_TITLES.get(title, title)} {fd} of {owner}"))


def pipe(inode: int, ends: str = "", pids: tuple[int, ...] = ()) -> ObjectInfo:
    """Return a pipe; `ends` tells which processes write and read it."""
    return ObjectInfo(ObjectKind.PIPE, f"pipe [{inode}]", detail=bounded(ends), pids=pids)


def unnumbered_pipe(fds: tuple[int, int], owner: Owner) -> ObjectInfo:
    """Return a pipe of which only the descriptors at its creation are known."""
    return ObjectInfo(ObjectKind.PIPE, bounded(f"pipe {fds[0]}, {fds[1]} of {owner}"))


def socket(facts: SocketFacts, fd: int, owner: Owner, peer: str = "") -> ObjectInfo:
    """Return a socket; `peer` is the command of the process at the other end, if it is known."""
    local, remote = facts.local, facts.remote
    if facts.kind in (ObjectKind.TCP, ObjectKind.UDP):
        own, other = (each if isinstance(each, Endpoint) else None for each in (local, remote))
        return internet_socket(facts.kind, own, other, facts.side)
    if facts.kind is ObjectKind.UNIX:
        paths = [each.path for each in (remote, local) if isinstance(each, UnixAddress)]
        other_end = Owner(facts.peer, peer) if facts.peer else None
        path = next(filter(None, paths), b"")
        if path or other_end:
            return unix_socket(path, facts.side, other_end)
        return ObjectInfo(ObjectKind.UNIX, bounded(f"socket {fd} of {owner}"), side=facts.side)
    return other_socket(_family_name(facts.family), fd, owner)


def internet_socket(
    kind: ObjectKind,
    local: Endpoint | None,
    remote: Endpoint | None,
    side: Side = Side.UNKNOWN,
) -> ObjectInfo:
    """Return a TCP or UDP socket, with the side that it has on a connection."""
    protocol = kind.value
    own = str(local) if local is not None else ""
    if side is Side.LISTENING and local is not None:
        service = service_of(protocol, local.port)
        return ObjectInfo(kind, f"listening on {own}", local=own, service=service, side=side)
    if remote is None:
        state = "listening" if side is Side.LISTENING else "unconnected"
        name = f"{state} on {own}" if own else state
        return ObjectInfo(kind, name, local=own, side=side)
    if side is Side.SERVER and local is not None:
        # The port of the client says nothing: one object for each client.
        name = f"{remote.host} -> :{local.port}"
        service = service_of(protocol, local.port)
    else:
        name = str(remote)
        service = service_of(protocol, remote.port)
    return ObjectInfo(kind, name, local=own, service=service, side=side)


def peer_ip(info: ObjectInfo) -> str:
    """Return the address of the host at the other end, as it is in the name; empty if unknown."""
    if info.kind not in (ObjectKind.TCP, ObjectKind.UDP) or info.side is Side.LISTENING:
        return ""
    client, arrow, _ = info.name.partition(" -> ")
    return (client if arrow else info.name.rpartition(":")[0]).strip("[]")


def unix_socket(
    path: bytes, side: Side = Side.UNKNOWN, peer: Owner | None = None, inode: int | None = None
) -> ObjectInfo:
    """Return a Unix socket: by the path of either end, else by its peer, else by its inode."""
    pids = (peer.pid,) if peer is not None else ()
    if path:
        name = unix_name(path)
        name = f"listening on {name}" if side is Side.LISTENING else name
        return ObjectInfo(ObjectKind.UNIX, bounded(name), side=side, pids=pids)
    if peer is not None:
        return ObjectInfo(ObjectKind.UNIX, bounded(f"peer {peer}"), side=side, pids=pids)
    name = f"socket [{inode}]" if inode is not None else "unnamed socket"
    return ObjectInfo(ObjectKind.UNIX, name, side=side)


def socket_pair(fds: tuple[int, int], owner: Owner) -> ObjectInfo:
    """Return a pair of connected Unix sockets of which only the descriptors are known."""
    return ObjectInfo(ObjectKind.UNIX, bounded(f"socket pair {fds[0]}, {fds[1]} of {owner}"))


def unknown_socket(inode: int) -> ObjectInfo:
    """Return a socket of which only the inode is known."""
    return ObjectInfo(ObjectKind.SOCKET, f"socket [{inode}]")


def other_socket(family: str, fd: int, owner: Owner) -> ObjectInfo:
    """Return a socket of another family, such as `netlink`; an unknown one is empty."""
    return ObjectInfo(ObjectKind.SOCKET, bounded(f"{family} socket {fd} of {owner}".lstrip()))


def futex(address: int, mapping: bytes | None = b"", owner: Owner | None = None) -> ObjectInfo:
    """
    Return a futex: its address and what is mapped there; without an owner it is shared.

    The mapping is empty for anonymous memory, and None if it is not known.
    """
    name = f"{address:#x}"
    if mapping is not None:
        place = escape_text(mapping.removesuffix(_DELETED)) or "anonymous memory"
        name += f" in {place}"
    return ObjectInfo(ObjectKind.FUTEX, bounded(f"{owner}: {name}" if owner else name))


def sleep(duration_ns: int | None) -> ObjectInfo:
    """Return a sleep by the requested duration; None is a sleep until a given time."""
    name = "until a time" if duration_ns is None else short_duration(duration_ns)
    return ObjectInfo(ObjectKind.SLEEP, name)


def child(owner: Owner) -> ObjectInfo:
    """Return a child process."""
    return ObjectInfo(ObjectKind.CHILD, bounded(str(owner)), pids=(owner.pid,))


def short_duration(duration_ns: int) -> str:
    """Return a duration with three digits, as `0.3 s` or `50 µs`."""
    # From a tenth of a second on people speak of seconds.
    for unit_ns, unit in _UNITS:
        if duration_ns * 10 >= unit_ns and (unit == "s" or duration_ns >= unit_ns):
            value = duration_ns / unit_ns
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"  # noqa: PLR2004
    return "0 s"


def _family_name(family: int) -> str:
    if not family:
        return ""
    try:
        return sockets.AddressFamily(family).name.removeprefix("AF_").lower()
    except ValueError:
        return f"family {family}"


def _number(text: bytes) -> int | None:
    digits = text.strip(b"[]")
    # A damaged log may have any number.
    return int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else None


def _kind_by_mode(file_type: FileType) -> ObjectKind | None:
    mode, device = file_type
    if not mode:
        return None
    if stat.S_ISCHR(mode):
        return ObjectKind.TTY if os.major(device) in _TTY_MAJORS else ObjectKind.DEVICE
    if stat.S_ISDIR(mode):
        return ObjectKind.DIRECTORY
    if stat.S_ISBLK(mode):
        return ObjectKind.DEVICE
    return ObjectKind.PIPE if stat.S_ISFIFO(mode) else ObjectKind.FILE


def _kind_by_path(path: bytes) -> ObjectKind:
    if path.startswith(_TTY_PATHS):
        return ObjectKind.TTY
    if path.startswith(_DEVICES) and not path.startswith(_DEVICE_FILES):
        return ObjectKind.DEVICE
    return ObjectKind.FILE
