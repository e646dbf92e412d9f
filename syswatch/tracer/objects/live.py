"""Looks up the descriptors of running processes."""

import ctypes
import os
import struct
import time
from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import comm_of, read_link
from syswatch.model.objects import ObjectInfo, ObjectKind

from . import describe
from .addresses import SocketFacts
from .describe import FileType, Owner
from .descriptors import Found
from .sockets import SocketTables, ephemeral_ports, read_facts, with_side

_LIBC = ctypes.CDLL(None, use_errno=True)
_AT_FDCWD = -100
_AT_STATX_DONT_SYNC = 0x4000
_STATX_TYPE = 1
# Of struct statx: the mode, and the numbers of a device.
_read_status = struct.Struct("<28xH98xII").unpack_from
_status = ctypes.create_string_buffer(256)
# How long the ports that are listened on are taken to be the same.
_PORTS_S = 1.0
_MOST_FILES = 10_000


@define
class LiveDescriptors:
    """
    Finds out what a descriptor refers to now; an instance is a `resolve` of `Descriptors`.

    `owner_of` returns the process of a thread.  Unless `asks_sockets`, nothing is done with the
    sockets of a process: their addresses come from tables in /proc.
    """

    owner_of: Callable[[int], Owner]
    asks_sockets: bool = True
    now: Callable[[], float] = time.monotonic
    _tables: SocketTables = attrs.field(factory=SocketTables, init=False)
    _ephemeral: range = attrs.field(factory=ephemeral_ports, init=False)
    # By network namespace, with the time when they were read.
    _ports: dict[bytes, tuple[float, frozenset[int]]] = attrs.field(factory=dict, init=False)
    # What has a path, by link: the same files are opened again and again.
    _files: dict[bytes, Found] = attrs.field(factory=dict, init=False)

    def __call__(self, tid: int, fd: int) -> Found | None:
        """Return what a descriptor of a thread refers to; None if it is not open."""
        link = read_link(tid, f"fd/{fd}")
        if not link:
            return None
        if link.startswith(b"/"):
            return self._files.get(link) or self._find_file(tid, fd, link)
        owner = self.owner_of(tid)
        if link.startswith(b"socket:["):
            facts = self._facts(tid, fd, owner.pid, link)
            if facts is not None:
                return Found(self.describe(facts, fd, owner), facts)
        return Found(describe.from_link(link, fd, owner))

    def describe(self, facts: SocketFacts, fd: int, owner: Owner) -> ObjectInfo:
        """Return a socket, with the command of its peer."""
        peer = comm_of(facts.peer) if facts.peer else ""
        return describe.socket(facts, fd, owner, peer)

    def _find_file(self, tid: int, fd: int, link: bytes) -> Found:
        info = describe.from_link(link, fd, self.owner_of(tid), _file_type(tid, fd))
        if len(self._files) >= _MOST_FILES:
            self._files.clear()
        found = self._files[link] = Found(info, path=link)
        return found

    def _facts(self, tid: int, fd: int, pid: int, link: bytes) -> SocketFacts | None:
        facts = read_facts(pid, fd) if self.asks_sockets and tid == pid else None
        inode = describe.inode_of(link)
        if facts is None and inode is not None:
            facts = self._tables.find(tid, inode)
        if facts is None or facts.kind is not ObjectKind.TCP:
            return facts
        return with_side(facts, self._listening_ports(tid), self._ephemeral)

    def _listening_ports(self, tid: int) -> frozenset[int]:
        namespace, now = read_link(tid, "ns/net"), self.now()
        read_at, ports = self._ports.get(namespace, (now - _PORTS_S, frozenset()))
        if now - read_at >= _PORTS_S:
            ports = self._tables.listening_ports(tid)
            self._ports[namespace] = now, ports
        return ports


def _file_type(tid: int, fd: int) -> FileType:
    """
    Return the type of an open file.

    The attributes are those that the kernel has at hand: a file system that is served by the
    target itself, which may be stopped, could not answer.
    """
    path = b"/proc/%d/fd/%d" % (tid, fd)
    if _LIBC.statx(_AT_FDCWD, path, _AT_STATX_DONT_SYNC, _STATX_TYPE, _status):
        return describe.UNKNOWN_TYPE
    mode, major, minor = _read_status(_status)
    return FileType(mode, os.makedev(major, minor))
