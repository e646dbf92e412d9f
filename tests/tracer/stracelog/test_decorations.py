"""Tests of the objects that decorations in logs name."""

from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.stracelog.decorations import find_in_text

from .condensed import condensed, names


class DecorationTests(SynchronousTestCase):
    """What -y and -yy say of descriptors."""

    def info(self, text: bytes) -> ObjectInfo:
        """Return the object of a descriptor."""
        found = find_in_text(text, Owner(7, "cat"), frozenset({80}))
        if found is None:
            raise AssertionError(text)
        return found.info

    def test_targets(self) -> None:
        """Each form has an object."""
        for text, kind, name in (
            (b"3</etc/passwd>", ObjectKind.FILE, "/etc/passwd"),
            (b"3</srv/x>(deleted)", ObjectKind.FILE, "/srv/x"),
            (b"3</dev/null<char 1:3>>", ObjectKind.DEVICE, "/dev/null"),
            (b"3<pipe:[12]>", ObjectKind.PIPE, "pipe [12]"),
            (b"3<socket:[12]>", ObjectKind.SOCKET, "socket [12]"),
            (b"3<anon_inode:[eventpoll]>", ObjectKind.EPOLL, "epoll 3 of cat (7)"),
            (b"3<TCP:[127.0.0.1:40000->127.0.0.1:81]>", ObjectKind.TCP, "127.0.0.1:81"),
            (b"3<TCPv6:[[::1]:80->[::1]:40000]>", ObjectKind.TCP, "[::1] -> :80"),
            (b"3<UDP:[127.0.0.1:53]>", ObjectKind.UDP, "unconnected on 127.0.0.1:53"),
            (b'3<UNIX-STREAM:[12->13,"/run/x"]>', ObjectKind.UNIX, "/run/x"),
            (b"3<UNIX-STREAM:[12->13]>", ObjectKind.UNIX, "socket 3 of cat (7)"),
            (b"3<TCP:[12345]>", ObjectKind.TCP, "unconnected"),
        ):
            info = self.info(text)
            self.assertEqual((kind, name), (info.kind, info.name), text)
        self.assertIs(Side.SERVER, self.info(b"3<TCPv6:[[::1]:80->[::1]:40000]>").side)
        self.assertIsNone(find_in_text(b"3", Owner(7), frozenset()))

    def test_results(self) -> None:
        """What the log says of a new descriptor counts, too."""
        delta = condensed(
            """
            socket(AF_INET, SOCK_DGRAM, IPPROTO_IP) = 3<UDP:[127.0.0.1:53]>
            1 12:00:00.000000 +++ exited with 0 +++
            """
        )
        self.assertEqual(Counter({"unconnected on 127.0.0.1:53": 1}), names(delta, "socket"))

    def test_they_count(self) -> None:
        """What the log says counts, whatever was opened before."""
        delta = condensed(
            """
            openat(AT_FDCWD</srv>, "b", O_RDONLY) = 3</srv/b>
            read(3</srv/b>, "", 1) = 0
            read(4</etc/x>, "", 1) = 0
            close(3</srv/b>) = 0
            """
        )
        self.assertEqual(Counter({"/srv/b": 1, "/etc/x": 1}), names(delta, "read"))
        self.assertEqual(Counter({"/srv/b": 1}), names(delta, "close"))

    def test_current_directory(self) -> None:
        """The working directory is known from when a call names it."""
        delta = condensed(
            """
            1 access("a", R_OK) = 0
            1 newfstatat(AT_FDCWD</srv/my files>, "b", {}, 0) = 0
            1 access("c", R_OK) = 0
            1 chdir("sub") = 0
            1 access("d", R_OK) = 0
            1 newfstatat(AT_FDCWD</srv/my files/sub>, "e", {}, 0) = 0
            2 chdir("sub") = 0
            2 newfstatat(AT_FDCWD</opt/sub>, "f", {}, 0) = 0
            """
        )
        self.assertEqual(
            Counter({"a": 1, "/srv/my files/c": 1, "/srv/my files/sub/d": 1}),
            names(delta, "access"),
        )
        self.assertEqual(
            Counter({"/srv/my files/b": 1, "/srv/my files/sub/e": 1, "/opt/sub/f": 1}),
            names(delta, "newfstatat"),
        )

    def test_woken(self) -> None:
        """What has ended a wait is named in the arguments, not in the result."""
        delta = condensed(
            """
            1 poll([{fd=4</a>, events=POLLIN}, {fd=3<TCP:[10.0.0.1:5->10.0.0.2:443]>, events=POLLIN}], 2, -1) = 1 ([{fd=3, revents=POLLIN}])
            1 select(6, [4</a> 5</d>], NULL, NULL, NULL) = 1 (in [5])
            1 poll([{fd=6, events=POLLIN}], 1, -1) = 1 ([{fd=6, revents=POLLIN}])
            1 pipe2([7<pipe:[12]>, 8<pipe:[12]>], O_CLOEXEC) = 0
            """  # noqa: E501  a line of a log
        )
        self.assertEqual(Counter({"10.0.0.2:443": 1, "(descriptor)": 1}), names(delta, "poll"))
        self.assertEqual(Counter({"/d": 1}), names(delta, "select"))
        self.assertEqual(Counter({"pipe [12]": 1}), names(delta, "pipe2"))

    def test_watched(self) -> None:
        """An epoll reports what was named when it was added, the newest one."""
        delta = condensed(
            """
            1 epoll_create1(0) = 5<anon_inode:[eventpoll]>
            1 epoll_ctl(5<anon_inode:[eventpoll]>, EPOLL_CTL_ADD, 3</a>, {events=EPOLLIN, data={u32=1, u64=1}}) = 0
            1 epoll_wait(5<anon_inode:[eventpoll]>, [{events=EPOLLIN, data={u32=1, u64=1}}], 8, -1) = 1
            1 epoll_ctl(5<anon_inode:[eventpoll]>, EPOLL_CTL_ADD, 3</b>, {events=EPOLLIN, data={u32=2, u64=2}}) = 0
            1 epoll_wait(5<anon_inode:[eventpoll]>, [{events=EPOLLIN, data={u32=2, u64=2}}], 8, -1) = 1
            """  # noqa: E501  lines of a log
        )
        self.assertEqual(Counter({"/a": 1, "/b": 1}), names(delta, "epoll_wait"))
