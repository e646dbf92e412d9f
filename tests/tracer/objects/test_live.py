"""Tests of syswatch.tracer.objects.live, .sockets and .ends, with descriptors of this process."""

import os
import socket
import tempfile
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from unittest import TestCase, mock

from syswatch.machine.proc import comm_of
from syswatch.model.objects import ObjectKind, Side
from syswatch.tracer.objects import ends
from syswatch.tracer.objects.addresses import Endpoint, SocketFacts, UnixAddress
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Found
from syswatch.tracer.objects.live import LiveDescriptors
from syswatch.tracer.objects.sockets import (
    SocketTables,
    ephemeral_ports,
    read_facts,
    with_side,
)

_PID = os.getpid()
_LOOPBACK = ("127.0.0.1", 0)


def _inode(sock: socket.socket) -> int:
    return os.fstat(sock.fileno()).st_ino


class LiveTest(TestCase):
    """What a descriptor refers to now."""

    def setUp(self) -> None:
        """Make a resolver for this process."""
        clock = partial(next, count(0.0, 10.0))
        self.live = LiveDescriptors(lambda tid: Owner(tid, "me"), now=clock)

    def found(self, fd: int) -> Found:
        """Return what a descriptor refers to."""
        found = self.live(_PID, fd)
        if found is None:
            raise AssertionError(fd)
        return found

    def test_files(self) -> None:
        """Files and directories are told apart."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            file = folder / "file"
            file.touch()
            for path, kind in ((folder, ObjectKind.DIRECTORY), (file, ObjectKind.FILE)):
                fd = os.open(path, os.O_RDONLY)
                self.addCleanup(os.close, fd)
                info = self.found(fd).info
                self.assertEqual((info.kind, info.name), (kind, str(path)))

    def test_device(self) -> None:
        """A device is found by its type."""
        leader, follower = os.openpty()
        for fd in (leader, follower):
            self.addCleanup(os.close, fd)
            self.assertIs(self.found(fd).info.kind, ObjectKind.TTY)

    def test_closed(self) -> None:
        """A descriptor that is not open is nothing."""
        self.assertIsNone(self.live(_PID, 1 << 20))

    def test_connection(self) -> None:
        """Both ends of a connection are found, each with its side."""
        for asks in (True, False):
            self.live.asks_sockets = asks
            with (
                closing(socket.create_server(_LOOPBACK)) as server,
                closing(socket.create_connection(server.getsockname())) as client,
                closing(server.accept()[0]) as accepted,
            ):
                port = server.getsockname()[1]
                info = self.found(server.fileno()).info
                self.assertEqual(info.name, f"listening on 127.0.0.1:{port}")
                info = self.found(accepted.fileno()).info
                self.assertEqual((info.name, info.side), (f"127.0.0.1 -> :{port}", Side.SERVER))
                info = self.found(client.fileno()).info
                self.assertEqual((info.name, info.side), (f"127.0.0.1:{port}", Side.CLIENT))
                own = client.getsockname()
                self.assertEqual(info.local, f"{own[0]}:{own[1]}")

    def test_datagrams(self) -> None:
        """An unconnected UDP socket has its own address."""
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as sock:
            self.assertEqual(self.found(sock.fileno()).info.name, "unconnected")
            sock.bind(_LOOPBACK)
            name = f"unconnected on 127.0.0.1:{sock.getsockname()[1]}"
            self.assertEqual(self.found(sock.fileno()).info.name, name)

    def test_unix(self) -> None:
        """A Unix socket has its path, or the process at the other end."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/socket"
            with (
                closing(socket.socket(socket.AF_UNIX)) as server,
                closing(socket.socket(socket.AF_UNIX)) as client,
            ):
                server.bind(path)
                server.listen()
                client.connect(path)
                self.assertEqual(self.found(server.fileno()).info.name, f"listening on {path}")
                self.assertEqual(self.found(client.fileno()).info.name, path)
        left, right = socket.socketpair()
        with closing(left), closing(right):
            name = f"peer {comm_of(_PID)} ({_PID})"
            self.assertEqual(self.found(left.fileno()).info.name, name)

    def test_other_socket(self) -> None:
        """A socket of another family is named by that."""
        with closing(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)) as sock:
            name = f"netlink socket {sock.fileno()} of me ({_PID})"
            self.assertEqual(self.found(sock.fileno()).info.name, name)

    def test_asking_does_no_harm(self) -> None:
        """A socket that was asked works as before, and no descriptor is left open."""
        left, right = socket.socketpair()
        with closing(left), closing(right):
            before = os.listdir("/proc/self/fd")  # noqa: PTH208
            self.assertIsNotNone(read_facts(_PID, left.fileno()))
            self.assertEqual(os.listdir("/proc/self/fd"), before)  # noqa: PTH208
            left.send(b"x")
            self.assertEqual(right.recv(9), b"x")

    def test_no_socket(self) -> None:
        """What is not a socket, or not there, has no facts."""
        readable, writable = os.pipe()
        self.addCleanup(os.close, readable)
        self.addCleanup(os.close, writable)
        for pid, fd in ((_PID, readable), (_PID, 1 << 20), (1 << 22, 0)):
            self.assertIsNone(read_facts(pid, fd))


class TablesTest(TestCase):
    """The tables of sockets in /proc."""

    def test_find(self) -> None:
        """Sockets made after the first search are found."""
        tables = SocketTables()
        self.assertIsNone(tables.find(_PID, -1))
        with closing(socket.create_server(("::1", 0), family=socket.AF_INET6)) as server:
            facts = tables.find(_PID, _inode(server))
            port = server.getsockname()[1]
            expected = SocketFacts(
                ObjectKind.TCP, socket.AF_INET6, Endpoint("::1", port), None, Side.LISTENING
            )
            self.assertEqual(facts, expected)
            self.assertIn(port, tables.listening_ports(_PID))

    def test_unix(self) -> None:
        """Abstract names are found."""
        with closing(socket.socket(socket.AF_UNIX)) as server:
            name = f"\0syswatch {_PID}".encode()
            server.bind(name)
            facts = SocketTables().find(_PID, _inode(server))
            self.assertEqual(facts and facts.local, UnixAddress(name))

    def test_side(self) -> None:
        """Without a listening socket, the ports tell the side."""
        ephemeral = range(32768, 61000)
        for local, remote, side in (
            (80, 40000, Side.SERVER),
            (40000, 80, Side.CLIENT),
            (40000, 50000, Side.CLIENT),
        ):
            facts = SocketFacts(
                ObjectKind.TCP,
                socket.AF_INET,
                Endpoint("10.0.0.1", local),
                Endpoint("10.0.0.2", remote),
            )
            self.assertIs(with_side(facts, frozenset(), ephemeral).side, side)
            self.assertIs(with_side(facts, frozenset({local}), ephemeral).side, Side.SERVER)

    def test_port_range(self) -> None:
        """The range is read, or is the usual one."""
        self.assertGreater(len(ephemeral_ports()), 1)
        self.assertEqual(ephemeral_ports(Path("/proc/none")), range(32768, 61000))


class EndsTest(TestCase):
    """Processes at the ends of pipes and Unix sockets."""

    def test_pipe(self) -> None:
        """The processes that read and write a pipe are found."""
        readable, writable = os.pipe()
        child = os.fork()
        if not child:
            os.close(writable)
            os.read(readable, 1)
            os._exit(0)
        os.close(readable)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, writable)
        inode = os.fstat(writable).st_ino
        # This process does not count, as if it were the tracer.
        self.assertEqual([child], [end.owner.pid for end in ends.find_ends({inode})[inode]])
        with mock.patch.object(os, "getpid", return_value=child + 1):
            found = ends.find_ends({inode})[inode]
        comm = comm_of(_PID)
        # The child may not have closed its copy of the other end yet.
        self.assertIn(ends.End(Owner(_PID, comm), reads=False, writes=True), found)
        self.assertTrue(next(end.reads for end in found if end.owner.pid == child))
        info = ends.pipe(inode, found)
        self.assertEqual(info.name, f"pipe [{inode}]")
        self.assertRegex(info.detail, rf"written by (.*, )?{comm} \({_PID}\)")
        self.assertIn(f"read by {comm} ({child})", info.detail)
        self.assertEqual(set(info.pids), {_PID, child})

    def test_many(self) -> None:
        """Of many processes, the first few are named."""
        found = tuple(ends.End(Owner(pid, "x"), reads=True, writes=False) for pid in range(1, 7))
        detail = ends.pipe(1, found).detail
        self.assertEqual(detail, "read by x (1), x (2), x (3), x (4) and 2 more")
