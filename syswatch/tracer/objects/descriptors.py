"""
Descriptor tables: which object each descriptor of each thread refers to.

The tables follow the calls that change them, so that a number that was closed and used again never
stands for the object before.  A descriptor that is not in its table, because it is older than the
trace or was received in a way that is not followed, is looked up once, by `resolve`, and kept until
it is closed.

As in the kernel, descriptors that were duplicated or inherited share an open file description, so
that a socket that is connected by one of them is connected for all.  Threads share a table, unless
they were made without CLONE_FILES or have left it by `unshare`.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind, kind_of_other, other_object

from .addresses import SocketFacts
from .known import KnownObjects

# The table of a program that opens a million descriptors is cut; the others are looked up again.
_MOST_OPEN = 1 << 17
_OTHER = other_object(ObjectKind.DESCRIPTOR)
_MOST_FILES = 10_000


class Description:
    """
    An open file description: its object, and what later calls need to know of it.

    Files that have been opened by the same path share one.
    """

    __slots__ = ("kind", "object", "path", "socket", "watched")

    def __init__(
        self,
        number: int,
        kind: ObjectKind,
        socket: SocketFacts | None = None,
        path: bytes = b"",
    ) -> None:
        # The ID, which is computed once.
        self.object = number
        self.kind = kind
        # If it is a socket of which more is known than its inode.
        self.socket = socket
        # Where it is in the file system, if the source tells.
        self.path = path
        # Of an epoll: the descriptions that it watches, by the data that the program gave.
        self.watched: dict[int, Description] | None = None

    def watch(self, data: int, description: "Description") -> None:
        """Note that this epoll watches a description, and reports it with this data."""
        if self.watched is None:
            self.watched = {}
        # What is no longer watched is never reported, so it need not be removed; but it is bounded.
        self.watched.pop(data, None)
        self.watched[data] = description
        if len(self.watched) > _MOST_OPEN:
            del self.watched[next(iter(self.watched))]

    def woken_by(self, data: int) -> "Description":
        """Return what this epoll watches under this data, or itself if that is not known."""
        return (self.watched or {}).get(data, self)


class DescriptorTable:
    """The open descriptors of the threads that share them."""

    __slots__ = ("cloexec", "found", "open")

    def __init__(self) -> None:
        # For the hot path: `table.open[fd].object`.
        self.open: dict[int, Description] = {}
        # Those that execve closes, and those of which this is not known.
        self.cloexec: set[int] = set()
        self.found: set[int] = set()

    def opened(self, fd: int, description: Description, *, cloexec: bool = False) -> None:
        """Set what a descriptor refers to."""
        if len(self.open) >= _MOST_OPEN and fd not in self.open:
            self.closed(next(iter(self.open)))
        self.open[fd] = description
        self.set_cloexec(fd, on=cloexec)

    def found_open(self, fd: int, description: Description) -> None:
        """Set what a descriptor refers to that was opened without being observed."""
        self.opened(fd, description)
        self.found.add(fd)

    def closed(self, fd: int) -> None:
        """Forget a descriptor."""
        self.open.pop(fd, None)
        self.cloexec.discard(fd)
        self.found.discard(fd)

    def closed_range(self, first: int, last: int) -> None:
        """Forget all descriptors from the first to the last one."""
        for fd in [fd for fd in self.open if first <= fd <= last]:
            self.closed(fd)

    def set_cloexec(self, fd: int, *, on: bool) -> None:
        """Set whether a descriptor is closed by execve."""
        if fd not in self.open:
            return
        self.found.discard(fd)
        if on:
            self.cloexec.add(fd)
        else:
            self.cloexec.discard(fd)

    def set_cloexec_range(self, first: int, last: int) -> None:
        """Let execve close all descriptors from the first to the last one."""
        for fd in self.open:
            if first <= fd <= last:
                self.set_cloexec(fd, on=True)

    def executed(self) -> None:
        """Forget the descriptors that execve closes, and those of which this is not known."""
        for fd in self.cloexec | self.found:
            self.open.pop(fd, None)
        self.cloexec.clear()
        self.found.clear()

    def copy(self) -> "DescriptorTable":
        """Return a table with the same descriptors."""
        table = DescriptorTable()
        table.open = dict(self.open)
        table.cloexec = set(self.cloexec)
        table.found = set(self.found)
        return table


class Found(NamedTuple):
    """What a source has found out about a descriptor."""

    info: ObjectInfo
    socket: SocketFacts | None = None
    # Where it is in the file system, byte for byte.
    path: bytes = b""


Resolve = Callable[[int, int], Found | None]


def resolve_nothing(_task: int, _fd: int) -> None:
    """Find nothing: for a source that can only know what it has observed."""


@define
class Descriptors:
    """
    The descriptor tables of all threads, by thread ID.

    `resolve` looks up a descriptor that is not in its table, by thread ID and number.
    """

    known: KnownObjects = attrs.field(factory=KnownObjects)
    resolve: Resolve = resolve_nothing
    # For the hot path: `tables[tid].open[fd].object`, or else `object_of`.
    tables: dict[int, DescriptorTable] = attrs.field(factory=dict, init=False)
    # By path.
    _files: dict[bytes, Description] = attrs.field(factory=dict, init=False)

    def table(self, tid: int) -> DescriptorTable:
        """Return the table of a thread; a thread that was not seen before has an empty one."""
        table = self.tables.get(tid)
        if table is None:
            table = self.tables[tid] = DescriptorTable()
        return table

    def joined(self, tid: int, other: int) -> None:
        """Let a thread share the table of another one, unless it has one already."""
        if tid not in self.tables:
            self.tables[tid] = self.table(other)

    def object_of(self, tid: int, fd: int) -> int:
        """Return the ID of the object of a descriptor."""
        description = self.description(tid, fd)
        return NO_OBJECT if fd < 0 else _OTHER if description is None else description.object

    def description(self, tid: int, fd: int) -> Description | None:
        """Return what a descriptor refers to; None if that is not known."""
        table = self.table(tid)
        description = table.open.get(fd)
        if description is None and fd >= 0:
            found = self.resolve(tid, fd)
            if found is not None:
                description = self.describe(found)
                table.found_open(fd, description)
        return description

    def knows_file(self, path: bytes) -> bool:
        """Return whether a file may have been found at a path."""
        return path in self._files or len(self._files) >= _MOST_FILES

    def forget(self, numbers: AbstractSet[int]) -> None:
        """Forget objects, of which none is open."""
        self.known.forget(numbers)
        self._files = {
            path: each for path, each in self._files.items() if each.object not in numbers
        }

    def describe(self, found: Found) -> Description:
        """Return an open file description of an object, which is new unless it is a file."""
        info, socket, path = found
        description = self._files.get(path)
        if description is not None and description.kind is info.kind:
            return description
        description = Description(self.known.add(info), info.kind, socket, path)
        # What is not kept is counted each time.
        is_kept = kind_of_other(description.object) is None
        if path and is_kept and len(self._files) < _MOST_FILES:
            self._files[path] = description
        return description

    def redescribe(self, description: Description, found: Found) -> None:
        """Change what a description is of, such as a socket that has been connected."""
        description.object = self.known.add(found.info)
        description.kind, description.socket = found.info.kind, found.socket

    def opened(self, tid: int, fd: int, found: Found, *, cloexec: bool = False) -> Description:
        """Add a new descriptor."""
        description = self.describe(found)
        self.table(tid).opened(fd, description, cloexec=cloexec)
        return description

    def duplicated(self, tid: int, old: int, new: int, *, cloexec: bool = False) -> None:
        """Let a descriptor refer to the same description as another one."""
        description = self.description(tid, old)
        if old == new:
            return
        if description is None:
            self.table(tid).closed(new)
        else:
            self.table(tid).opened(new, description, cloexec=cloexec)

    def forked(self, parent: int, tid: int, *, shares: bool) -> None:
        """Give a new thread or process the table of its parent, or a copy of it."""
        table = self.table(parent)
        self.tables[tid] = table if shares else table.copy()

    def unshared(self, tid: int) -> None:
        """Give a thread a table of its own."""
        self.tables[tid] = self.table(tid).copy()

    def executed(self, tid: int, pid: int) -> None:
        """Apply an execve by a thread, which becomes the only one of its process."""
        table = self.table(tid).copy()
        table.executed()
        self.ended(tid)
        self.tables[pid] = table

    def ended(self, tid: int) -> None:
        """Forget a thread."""
        self.tables.pop(tid, None)
