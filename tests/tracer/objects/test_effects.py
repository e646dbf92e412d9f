"""Tests of syswatch.tracer.objects.effects with calls made by hand."""

import errno
import os
import socket
from unittest import TestCase

from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind, Side, other_object
from syswatch.tracer.objects.addresses import Endpoint, UnixAddress
from syswatch.tracer.objects.descriptors import Description, Descriptors
from syswatch.tracer.objects.effects import (
    began,
    changes_tables,
    changes_tables_at_end,
    closes_at_once,
    commands_that_change_tables,
    completed,
    returned,
)

from .observed import TID, Call

_CLONE_FILES = 0x400
_FLAGS = os.O_CLOEXEC
_STREAM = (socket.AF_INET, socket.SOCK_STREAM)
_SERVER = Endpoint("10.0.0.5", 5432)
_OTHER = 8


class TablesCase(TestCase):
    """Tables to which calls are applied."""

    def setUp(self) -> None:
        """Start with empty tables, and nothing that could be looked up."""
        self.tables = Descriptors()

    def do(self, *calls: Call) -> None:
        """Apply completed calls."""
        for call in calls:
            completed(self.tables, call)

    def name(self, fd: int, tid: int = TID) -> str:
        """Return the name of what a descriptor refers to."""
        info = self.info(fd, tid)
        return info.name if info is not None else ""

    def info(self, fd: int, tid: int = TID) -> ObjectInfo | None:
        """Return what a descriptor refers to."""
        return self.tables.known.info(self.tables.object_of(tid, fd))

    def opened(self, fd: int, path: bytes = b"/a", flags: int = 0) -> Call:
        """Return a call that opens a path."""
        return Call("openat", fd, [0, 0, flags], {1: path})


class OpeningTest(TablesCase):
    """Calls that open."""

    def test_paths(self) -> None:
        """Paths are joined to their directories."""
        self.do(
            Call("open", 3, [], {0: b"x"}),
            Call("creat", 4, [], {0: b"/y"}),
            Call("openat2", 5, [], {1: b"z"}, flags=_FLAGS),
        )
        self.assertEqual([self.name(fd) for fd in (3, 4, 5)], ["/home/x", "/y", "/home/z"])
        self.assertEqual(self.tables.table(TID).cloexec, {5})

    def test_failure(self) -> None:
        """A call that failed opens nothing."""
        self.do(self.opened(-errno.ENOENT))
        self.assertEqual(self.tables.table(TID).open, {})
        self.assertEqual(self.tables.object_of(TID, -1), NO_OBJECT)

    def test_anonymous(self) -> None:
        """Descriptors without a name are named by number and process."""
        for fd, (call, numbers, kind, cloexec) in enumerate(
            (
                ("eventfd2", [0, _FLAGS], ObjectKind.EVENTFD, True),
                ("eventfd", [0], ObjectKind.EVENTFD, False),
                ("timerfd_create", [0, 0], ObjectKind.TIMERFD, False),
                ("signalfd4", [(1 << 64) - 1, 0, 8, _FLAGS], ObjectKind.SIGNALFD, True),
                ("inotify_init1", [_FLAGS], ObjectKind.INOTIFY, True),
                ("epoll_create1", [_FLAGS], ObjectKind.EPOLL, True),
                ("io_uring_setup", [8], ObjectKind.IO_URING, True),
                ("pidfd_open", [1], ObjectKind.DESCRIPTOR, True),
                ("bpf", [5], ObjectKind.DESCRIPTOR, True),
                ("perf_event_open", [0, 0, 0, 0, 8], ObjectKind.DESCRIPTOR, True),
            )
        ):
            with self.subTest(call):
                self.do(Call(call, fd, numbers))
                info = self.info(fd)
                self.assertIs(info and info.kind, kind)
                self.assertIn("of cat (7)", self.name(fd))
                self.assertEqual(fd in self.tables.table(TID).cloexec, cloexec)

    def test_not_descriptors(self) -> None:
        """Results that are other numbers open nothing."""
        self.do(
            Call("bpf", 3, [1]),
            Call("seccomp", 4, [1, 0]),
            Call("landlock_create_ruleset", 5, [0, 0, 1]),
            Call("signalfd4", 6, [6, 0, 8, 0]),
        )
        self.assertEqual(self.tables.table(TID).open, {})

    def test_memory_file(self) -> None:
        """A memory file has its name."""
        self.do(Call("memfd_create", 3, [0, 1], {0: b"shm"}))
        self.assertEqual(self.name(3), "shm")

    def test_pairs(self) -> None:
        """Both descriptors of a pipe are the same object."""
        self.do(Call("pipe", fds=(3, 4)), Call("socketpair", 0, [1, 1], fds=(5, 6)))
        self.assertEqual(self.tables.object_of(TID, 3), self.tables.object_of(TID, 4))
        self.assertEqual(self.name(6), "socket pair 5, 6 of cat (7)")


class SocketsTest(TablesCase):
    """Calls that change what a socket is."""

    def test_client(self) -> None:
        """A socket becomes its peer when it is connected, even in the background."""
        for result in (0, -errno.EINPROGRESS):
            self.do(Call("socket", 3, _STREAM), Call("connect", result, [3], at=_SERVER))
            info = self.info(3)
            self.assertEqual(info and (info.name, info.side), (str(_SERVER), Side.CLIENT))

    def test_refused(self) -> None:
        """A connection that failed changes nothing."""
        self.do(Call("socket", 3, _STREAM), Call("connect", -errno.ECONNREFUSED, [3], at=_SERVER))
        self.assertEqual(self.name(3), "unconnected")

    def test_duplicates(self) -> None:
        """A duplicate of a socket is connected with it, in a child process too."""
        self.do(
            Call("socket", 3, _STREAM),
            Call("dup", 4, [3]),
            Call("fork", _OTHER),
            Call("connect", 0, [3], at=_SERVER),
        )
        self.assertEqual(self.name(4), str(_SERVER))
        self.assertEqual(self.name(3, _OTHER), str(_SERVER))

    def test_server(self) -> None:
        """An accepted socket has the address of the listening one, without the client's port."""
        self.do(
            Call("socket", 3, _STREAM),
            Call("bind", 0, [3], at=Endpoint("10.0.0.1", 80)),
            Call("listen", 0, [3]),
            Call("accept4", 4, [3, 0, 0, _FLAGS], at=Endpoint("10.0.0.9", 40000)),
        )
        self.assertEqual(self.name(3), "listening on 10.0.0.1:80")
        info = self.info(4)
        self.assertEqual(info and (info.name, info.side), ("10.0.0.9 -> :80", Side.SERVER))

    def test_unix(self) -> None:
        """A Unix socket becomes its path."""
        self.do(
            Call("socket", 3, (socket.AF_UNIX, socket.SOCK_STREAM)),
            Call("connect", 0, [3], at=UnixAddress(b"\0dbus")),
        )
        self.assertEqual(self.name(3), "@dbus")

    def test_unknown(self) -> None:
        """Calls on sockets that are not known do not fail."""
        self.do(
            Call("connect", 0, [3], at=_SERVER),
            Call("accept", 4, [3], at=Endpoint("10.0.0.9", 40000)),
            Call("accept", 5, [3]),
        )
        self.assertEqual(self.name(4), "10.0.0.9:40000")
        self.assertEqual(self.name(5), "socket 5 of cat (7)")

    def test_received(self) -> None:
        """A received descriptor replaces what had its number."""
        self.do(self.opened(5), Call("close", 0, [5]), Call("recvmsg", 1, [3], fds=(5,)))
        self.assertEqual(self.name(5), "descriptor 5 of cat (7)")

    def test_epoll(self) -> None:
        """What an epoll reports is found by the data given to it."""
        self.do(
            Call("epoll_create1", 3),
            self.opened(4),
            Call("epoll_ctl", 0, [3, 1, 4], data=99),
            Call("dup", 5, [3]),
        )
        epoll = self.tables.description(TID, 5) or Description(0, ObjectKind.NONE)
        self.assertEqual(epoll.woken_by(99).object, self.tables.object_of(TID, 4))
        self.assertIs(epoll.woken_by(98), epoll)


class SharingTest(TablesCase):
    """Calls that close, copy and share tables."""

    def test_reuse(self) -> None:
        """A number that is closed and used again stands for the new object."""
        for number in range(1000):
            self.do(self.opened(3, b"/%d" % number))
            self.assertEqual(self.name(3), f"/{number}")
            self.do(Call("close", -errno.EIO if number % 2 else 0, [3]))
            self.assertEqual(self.tables.object_of(TID, 3), other_object(ObjectKind.DESCRIPTOR))

    def test_close_fails(self) -> None:
        """A close of what is not open changes nothing."""
        self.do(self.opened(3), Call("close", -errno.EBADF, [3]))
        self.assertEqual(self.name(3), "/a")

    def test_race(self) -> None:
        """A number that another thread gets before close has returned is that of the other."""
        close = Call("close", 0, [3])
        self.do(self.opened(3), Call("clone", _OTHER, [_CLONE_FILES]))
        began(self.tables, close)
        self.do(Call("openat", 3, [0, 0, 0], {1: b"/b"}, tid=_OTHER))
        returned(self.tables, close)
        self.assertEqual(self.name(3), "/b")

    def test_threads(self) -> None:
        """Threads share a table; children have a copy."""
        self.do(
            Call("clone", _OTHER, [_CLONE_FILES]),
            Call("clone3", 9),
            self.opened(3),
        )
        self.assertEqual(self.name(3, _OTHER), "/a")
        self.assertEqual(self.name(3, 9), "")
        self.do(Call("unshare", 0, [_CLONE_FILES]), Call("close", 0, [3]))
        self.assertEqual(self.name(3, _OTHER), "/a")
        self.assertEqual(self.name(3), "")

    def test_execute(self) -> None:
        """A program keeps what is not marked, and leaves the table that others share."""
        self.do(
            self.opened(3),
            self.opened(4, b"/b", _FLAGS),
            Call("clone", _OTHER, [_CLONE_FILES]),
            Call("execve", 0, tid=_OTHER, pid=TID),
        )
        self.assertEqual((self.name(3), self.name(4)), ("/a", ""))
        self.assertNotIn(_OTHER, self.tables.tables)

    def test_close_range(self) -> None:
        """A range is closed in a table of its own if that is wanted."""
        self.do(
            *(self.opened(fd) for fd in (3, 4, 5)),
            Call("clone", _OTHER, [_CLONE_FILES]),
            Call("close_range", 0, [4, (1 << 32) - 1, 2]),
        )
        self.assertEqual(set(self.tables.table(TID).open), {3})
        self.assertEqual(set(self.tables.table(_OTHER).open), {3, 4, 5})

    def test_older_thread(self) -> None:
        """A thread that is found running shares the table of its process."""
        self.do(self.opened(3))
        self.tables.joined(_OTHER, TID)
        self.assertEqual(self.name(3, _OTHER), "/a")

    def test_names(self) -> None:
        """Calls of 32-bit programs are known, and others change nothing."""
        self.assertTrue(changes_tables("fcntl64"))
        self.assertTrue(changes_tables("close"))
        self.assertTrue(closes_at_once("dup2"))
        self.assertFalse(changes_tables("read"))
        self.assertFalse(changes_tables_at_end("close"))
        self.assertTrue(commands_that_change_tables("fcntl64"))
        self.assertFalse(commands_that_change_tables("dup"))
