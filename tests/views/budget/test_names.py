"""Tests of objects and waits in words."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.views.budget.names import cut_name, object_name, several_phrase, wait_phrase

from .worlds import DATABASE, LOCK, SLEEP, WAL


class CutTests(SynchronousTestCase):
    """Names that are longer than the space for them."""

    def test_cut(self) -> None:
        """What distinguishes objects is kept: ends of paths, and addresses of locks."""
        lock = "futex python3 (12): 0x7f12a0000b70 in [heap]"
        for name, most, expected in (
            (lock, None, lock),
            (lock, 44, lock),
            (lock, 43, "futex 0x7f12a0000b70 in [heap]"),
            (lock, 24, "futex 0x7f12a0000b70 in…"),
            ("futex 0x7f12a0000b70", 10, "futex 0x7…"),
            ("/usr/lib/libc.so", 8, "…libc.so"),
            ("localhost (127.0.0.1:80, TCP)", 12, "localhost (…"),
        ):
            self.assertEqual(expected, cut_name(name, most))


class NameTests(SynchronousTestCase):
    """Objects where they are mentioned."""

    def test_names(self) -> None:
        """A name tells what kind of object it is."""
        for info, expected in (
            (WAL, "/var/lib/app/db.wal"),
            (DATABASE, "10.0.0.5:5432 (TCP, postgresql)"),
            (ObjectInfo(ObjectKind.UDP, "10.0.0.1:53", host="ns"), "ns (10.0.0.1:53, UDP)"),
            (ObjectInfo(ObjectKind.UNIX, "/run/x.sock"), "/run/x.sock (Unix socket)"),
            (ObjectInfo(ObjectKind.PIPE, "pipe [7]"), "pipe [7]"),
            (
                ObjectInfo(ObjectKind.PIPE, "pipe [7]", "read by wc (1)"),
                "pipe [7] (read by wc (1))",
            ),
            (LOCK, "futex python3 (1): 0x7f12a0 in [heap]"),
            (SLEEP, "sleep: 0.3 s"),
            (ObjectInfo(ObjectKind.SLEEP, "until a time"), "sleep: until a time"),
            (ObjectInfo(ObjectKind.CHILD, "make (7)"), "child make (7)"),
            (ObjectInfo(ObjectKind.CHILD, "any child"), "any child"),
            (ObjectInfo(ObjectKind.FILE), "other files"),
            (ObjectInfo(ObjectKind.SOCKET), "other sockets"),
            (ObjectInfo(ObjectKind.NONE), ""),
        ):
            self.assertEqual(expected, object_name(info))

    def test_all_kinds(self) -> None:
        """Every kind has a name and a phrase, with and without a name of the object."""
        for kind in ObjectKind:
            for name in ("", "thing"):
                info = ObjectInfo(kind, name)
                self.assertTrue(object_name(info) or kind is ObjectKind.NONE, kind)
                self.assertTrue(wait_phrase("read", info), kind)
                has_number = kind not in (ObjectKind.NONE, ObjectKind.SLEEP)
                self.assertIn(str(3) if has_number else "", several_phrase("read", [info], 3))


def _futex(name: str) -> ObjectInfo:
    return ObjectInfo(ObjectKind.FUTEX, name)


class PhraseTests(SynchronousTestCase):
    """What is waited for."""

    def test_phrases(self) -> None:
        """Each phrase continues `3 s of it`."""
        pipe = ObjectInfo(ObjectKind.PIPE, "pipe [7]")
        for call, info, expected in (
            ("fsync", WAL, "in fsync of /var/lib/app/db.wal"),
            ("pread64", WAL, "reading /var/lib/app/db.wal"),
            ("writev@i386", WAL, "writing /var/lib/app/db.wal"),
            ("openat", WAL, "opening /var/lib/app/db.wal"),
            ("poll", ObjectInfo(ObjectKind.TTY, "/dev/pts/0"), "for /dev/pts/0"),
            ("recvfrom", DATABASE, "for 10.0.0.5:5432 (TCP, postgresql)"),
            ("read", pipe, "for pipe [7]"),
            ("write", pipe, "writing to pipe [7]"),
            ("futex", LOCK, "for other threads (futex …12a0 in [heap])"),
            ("futex", _futex("0x7fee02c2a038 in /dev/zero"), "for other processes (futex …a038)"),
            (
                "futex",
                _futex("app (1): 0x7fee02c2a0f0 in anonymous memory"),
                "for other threads (futex …a0f0)",
            ),
            (
                "futex",
                _futex("app (1): 0xa0 in /lib/libc.so.6"),
                "for other threads (futex 0xa0 in libc.so.6)",
            ),
            ("futex", _futex("0x12345678"), "for other threads (futex …5678)"),
            ("futex", _futex("unreadable"), "for other threads (futex unreadable)"),
            ("futex", ObjectInfo(ObjectKind.FUTEX), "for other threads"),
            ("getdents64", ObjectInfo(ObjectKind.DIRECTORY), "reading directories"),
            ("nanosleep", SLEEP, "sleeping"),
            ("wait4", ObjectInfo(ObjectKind.CHILD, "any child"), "for a child process"),
            ("io_uring_enter", ObjectInfo(ObjectKind.NONE), "in io_uring_enter"),
            ("", ObjectInfo(ObjectKind.NONE), "in other calls"),
        ):
            self.assertEqual(expected, wait_phrase(call, info))

    def test_several(self) -> None:
        """Of several objects, what they have in common is named."""
        shared, private = _futex("0x12 in /dev/zero"), _futex("app (1): 0x12 in [heap]")
        children = [ObjectInfo(ObjectKind.CHILD, name) for name in ("cc1 (2)", "cc1 (3)", "as (4)")]
        for call, infos, number, expected in (
            ("fdatasync", [WAL, ObjectInfo(ObjectKind.FILE, "/b")], 2, "in fdatasync of 2 files"),
            ("", [WAL], 1200, "for 1,200 files"),
            ("futex", [shared, shared], 2, "for other processes (2 futexes)"),
            ("futex", [private, private], 2, "for other threads (2 futexes)"),
            ("futex", [shared, private], 2, "for other threads and processes (2 futexes)"),
            ("wait4", children[:2], 2, "for 2 child processes (cc1)"),
            ("wait4", children, 3, "for 3 child processes"),
            ("semop", [ObjectInfo(ObjectKind.NONE)], 1, "for a semaphore (semop)"),
            ("", [ObjectInfo(ObjectKind.NONE)], 1, "in other calls"),
        ):
            self.assertEqual(expected, several_phrase(call, infos, number))
