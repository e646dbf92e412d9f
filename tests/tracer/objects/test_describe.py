"""Tests of syswatch.tracer.objects.describe, .addresses and .hosts."""

import os
import socket
import stat
import struct
import tempfile
from pathlib import Path
from unittest import TestCase

from hypothesis import given
from hypothesis import strategies as st

from syswatch.model.delta import PATH_BYTES
from syswatch.model.objects import ObjectKind, Side
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.addresses import (
    Endpoint,
    OtherAddress,
    UnixAddress,
    endpoint,
    parse_address,
    unix_name,
)
from syswatch.tracer.objects.describe import FileType, Owner
from syswatch.tracer.objects.hosts import HostNames, read_hosts, service_of

_NGINX = Owner(123, "nginx")
_LINKS: dict[bytes, tuple[ObjectKind, str]] = {
    b"/etc/passwd": (ObjectKind.FILE, "/etc/passwd"),
    b"/var/x (deleted)": (ObjectKind.FILE, "/var/x"),
    b"/dev/null": (ObjectKind.DEVICE, "/dev/null"),
    b"/dev/mqueue/x": (ObjectKind.FILE, "/dev/mqueue/x"),
    b"/dev/pts/3": (ObjectKind.TTY, "/dev/pts/3"),
    b"/memfd:wayland (deleted)": (ObjectKind.MEMFD, "wayland"),
    b"/memfd: (deleted)": (ObjectKind.MEMFD, "unnamed"),
    b"pipe:[12345]": (ObjectKind.PIPE, "pipe [12345]"),
    b"socket:[12345]": (ObjectKind.SOCKET, "socket [12345]"),
    b"anon_inode:[eventfd]": (ObjectKind.EVENTFD, "eventfd 5 of nginx (123)"),
    b"anon_inode:[eventpoll]": (ObjectKind.EPOLL, "epoll 5 of nginx (123)"),
    b"anon_inode:[timerfd]": (ObjectKind.TIMERFD, "timerfd 5 of nginx (123)"),
    b"anon_inode:[signalfd]": (ObjectKind.SIGNALFD, "signalfd 5 of nginx (123)"),
    b"anon_inode:inotify": (ObjectKind.INOTIFY, "inotify 5 of nginx (123)"),
    b"anon_inode:[io_uring]": (ObjectKind.IO_URING, "io_uring 5 of nginx (123)"),
    b"anon_inode:[perf_event]": (ObjectKind.DESCRIPTOR, "perf_event 5 of nginx (123)"),
    b"anon_inode:bpf-map": (ObjectKind.DESCRIPTOR, "bpf-map 5 of nginx (123)"),
    b"net:[4026531840]": (ObjectKind.DESCRIPTOR, "net:[4026531840]"),
    b"": (ObjectKind.DESCRIPTOR, "descriptor 5 of nginx (123)"),
}


class LinkTest(TestCase):
    """Descriptors described by their links in /proc."""

    def test_kinds(self) -> None:
        """Each kind of link has a kind and a name."""
        for link, expected in _LINKS.items():
            info = describe.from_link(link, 5, _NGINX)
            self.assertEqual((info.kind, info.name), expected, link)

    def test_deleted(self) -> None:
        """That a file was deleted is a detail, so its name stays the same."""
        self.assertEqual(describe.from_link(b"/x (deleted)", 3, _NGINX).detail, "deleted")
        self.assertEqual(describe.from_link(b"/x", 3, _NGINX).detail, "")

    def test_real_descriptors(self) -> None:
        """Descriptors of this process are described as what they are."""
        readable, writable = os.pipe()
        directory = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
        null = os.open("/dev/null", os.O_RDONLY)
        event = os.eventfd(0)
        memory = os.memfd_create("buffers")
        for fd, kind in (
            (readable, ObjectKind.PIPE),
            (writable, ObjectKind.PIPE),
            (directory, ObjectKind.DIRECTORY),
            (null, ObjectKind.DEVICE),
            (event, ObjectKind.EVENTFD),
            (memory, ObjectKind.MEMFD),
        ):
            self.addCleanup(os.close, fd)
            status = os.fstat(fd)
            link = bytes(Path(f"/proc/self/fd/{fd}").readlink())
            info = describe.from_link(link, fd, _NGINX, FileType(status.st_mode, status.st_rdev))
            self.assertIs(info.kind, kind)

    def test_terminal(self) -> None:
        """A device is a terminal if its number says so."""
        leader, follower = os.openpty()
        self.addCleanup(os.close, leader)
        self.addCleanup(os.close, follower)
        status = os.fstat(follower)
        info = describe.opened(b"/somewhere", FileType(status.st_mode, status.st_rdev))
        self.assertIs(info.kind, ObjectKind.TTY)

    def test_fifo(self) -> None:
        """A FIFO is a pipe with the name of its path."""
        info = describe.opened(b"/run/fifo", FileType(stat.S_IFIFO | 0o600))
        self.assertEqual((info.kind, info.name), (ObjectKind.PIPE, "/run/fifo"))

    def test_untrusted_text(self) -> None:
        """Names are escaped and bounded."""
        info = describe.from_link(b"anon/\x1b[31m\xff" + b"x" * 5000, 3, _NGINX)
        self.assertTrue(info.name.startswith("anon/\\x1b[31m\\xff"))
        self.assertEqual(len(info.name), PATH_BYTES)

    def test_long_path(self) -> None:
        """Of a long path the last parts are kept, so that files are told apart."""
        folder = b"/\xc3\xa4" + b"/folder\xff" * 200
        for info in (describe.opened(folder + b"/file"), describe.path(b"file", folder)):
            self.assertTrue(info.name.startswith(".../folder\\xff/folder"), info.name)
            self.assertTrue(info.name.endswith("/folder\\xff/file"), info.name)
            self.assertLessEqual(len(info.name), PATH_BYTES)
        self.assertLessEqual(len(describe.opened(b"/" + b"\xc3\xa4" * 5000).name), PATH_BYTES)

    @given(link=st.binary(max_size=60))
    def test_any_link(self, link: bytes) -> None:
        """No link raises, and every one has a printable name."""
        info = describe.from_link(link, 3, _NGINX)
        self.assertTrue(info.name.isprintable())
        self.assertTrue(info.name)


class PathTest(TestCase):
    """Paths that calls name."""

    def test_same_object(self) -> None:
        """A path is one object, opened or only named."""
        self.assertEqual(describe.path(b"passwd", b"/etc").id, describe.opened(b"/etc/passwd").id)

    def test_join(self) -> None:
        """Slashes and dots that mean nothing are dropped."""
        for text, base, expected in (
            (b"/a//b/", b"", b"/a/b"),
            (b"./b", b"/a", b"/a/b"),
            (b"", b"/a", b"/a"),
            (b".", b"/a", b"/a"),
            (b"b/./c", b"", b"b/c"),
            (b"../b", b"/a", b"/a/../b"),
            (b"/.config", b"", b"/.config"),
            (b"/", b"/a", b"/"),
            (b"b", b"/", b"/b"),
            (b"b", b"/a (deleted)", b"/a/b"),
        ):
            self.assertEqual(describe.full_path(text, base), expected, text)


class SocketTest(TestCase):
    """Sockets by their addresses."""

    def test_client(self) -> None:
        """A client names the peer with its port, and the service of that."""
        info = describe.internet_socket(
            ObjectKind.TCP,
            Endpoint("127.0.0.1", 40000),
            Endpoint("10.0.0.5", 22),
            Side.CLIENT,
        )
        self.assertEqual((info.name, info.local), ("10.0.0.5:22", "127.0.0.1:40000"))
        self.assertEqual(info.service, "ssh")

    def test_server(self) -> None:
        """A server has one object for each host of clients."""
        objects = {
            describe.internet_socket(
                ObjectKind.TCP, Endpoint("::1", 80), Endpoint("fe80::1", port), Side.SERVER
            ).id
            for port in (40000, 40001)
        }
        self.assertEqual(len(objects), 1)
        info = describe.internet_socket(
            ObjectKind.TCP, Endpoint("::1", 80), Endpoint("fe80::1", 40000), Side.SERVER
        )
        self.assertEqual((info.name, info.local), ("[fe80::1] -> :80", "[::1]:80"))

    def test_without_peer(self) -> None:
        """A socket without a peer has its own address."""
        listening = describe.internet_socket(
            ObjectKind.TCP, Endpoint("192.0.2.1", 22), None, Side.LISTENING
        )
        self.assertEqual((listening.name, listening.service), ("listening on 192.0.2.1:22", "ssh"))
        self.assertEqual(
            describe.internet_socket(ObjectKind.UDP, Endpoint("::", 53), None).name,
            "unconnected on [::]:53",
        )

    def test_unix(self) -> None:
        """A Unix socket has its path, else its peer."""
        self.assertEqual(describe.unix_socket(b"\0dbus").name, "@dbus")
        self.assertEqual(describe.unix_socket(b"/run/x").name, "/run/x")
        peer = describe.unix_socket(b"", peer=Owner(7, "cat"))
        self.assertEqual((peer.name, peer.pids), ("peer cat (7)", (7,)))
        self.assertEqual(describe.unix_socket(b"", inode=9).name, "socket [9]")

    def test_parse(self) -> None:
        """Addresses are parsed from the kernel's structures."""
        packed = struct.pack("=H", socket.AF_INET) + struct.pack(">H4s8x", 80, bytes([10, 0, 0, 5]))
        self.assertEqual(parse_address(packed), Endpoint("10.0.0.5", 80))
        mapped = bytes(10) + b"\xff\xff" + bytes([10, 0, 0, 5])
        packed = struct.pack("=H", socket.AF_INET6) + struct.pack(">HI16sI", 80, 0, mapped, 0)
        self.assertEqual(parse_address(packed), Endpoint("10.0.0.5", 80))
        unix = struct.pack("=H", socket.AF_UNIX)
        self.assertEqual(parse_address(unix + b"/run/x\0\0\0"), UnixAddress(b"/run/x"))
        self.assertEqual(parse_address(unix + b"\0ab"), UnixAddress(b"\0ab"))
        self.assertEqual(parse_address(unix), UnixAddress(b""))
        self.assertEqual(unix_name(b"\0ab"), "@ab")
        self.assertEqual(
            parse_address(struct.pack("=H", socket.AF_NETLINK)), OtherAddress(socket.AF_NETLINK)
        )
        self.assertIsNone(parse_address(b"\2"))

    @given(data=st.binary(max_size=130))
    def test_any_address(self, data: bytes) -> None:
        """No bytes raise."""
        parse_address(data)

    def test_endpoint(self) -> None:
        """An IPv6 address is in brackets."""
        self.assertEqual(str(endpoint(bytes(15) + b"\1", 80)), "[::1]:80")


class OtherTest(TestCase):
    """Objects without a descriptor."""

    def test_sleep(self) -> None:
        """A sleep is named by its duration."""
        for duration_ns, text in (
            (300_000_000, "0.3 s"),
            (50_000_000, "50 ms"),
            (1_500_000, "1.5 ms"),
            (50_000, "50 µs"),
            (1, "1 ns"),
            (0, "0 s"),
            (2_000_000_000, "2 s"),
            (123_456_000_000_000, "123456 s"),
        ):
            self.assertEqual(describe.sleep(duration_ns).name, text)
        self.assertEqual(describe.sleep(None).name, "until a time")

    def test_futex(self) -> None:
        """A futex is private to a process unless it is shared."""
        self.assertEqual(
            describe.futex(0x7F12, b"[heap]", _NGINX).name, "nginx (123): 0x7f12 in [heap]"
        )
        self.assertEqual(describe.futex(0x7F12).name, "0x7f12 in anonymous memory")

    def test_child(self) -> None:
        """A child is named by its command."""
        info = describe.child(Owner(9, "make"))
        self.assertEqual((info.name, info.pids), ("make (9)", (9,)))


class HostsTest(TestCase):
    """Names of services and hosts."""

    def test_services(self) -> None:
        """A service has a name by protocol; an impossible port has none."""
        self.assertEqual(service_of("tcp", 22), "ssh")
        self.assertEqual(service_of("tcp", 65536), "")
        self.assertEqual(service_of("tcp", -1), "")

    def test_hosts(self) -> None:
        """The first name of an address counts, and what the target has looked up before that."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "hosts"
            file.write_text("# x\n127.0.0.1 localhost a\n127.0.0.1 b\n\n10.0.0.5 db#c\n10.0.0.6\n")
            names = HostNames(read_hosts(file))
            self.assertEqual(read_hosts(Path(folder) / "none"), {})
        self.assertEqual(names.name_of("127.0.0.1"), "localhost")
        self.assertEqual(names.name_of("10.0.0.5"), "db")
        self.assertEqual(names.name_of("10.0.0.6"), "")
        names.learn("10.0.0.5", "db.example\x1b")
        self.assertEqual(names.name_of("10.0.0.5"), "db.example\\x1b")
