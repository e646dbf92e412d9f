"""Tests of objects and waits in words."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.views.budget.names import object_name, several_phrase, wait_phrase

from .worlds import DATABASE, LOCK, SLEEP, WAL


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
                self.assertIn(
                    str(3) if kind is not ObjectKind.SLEEP else "", several_phrase(kind, 3)
                )


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
            ("futex", LOCK, "for other threads (futex 0x7f12a0 in [heap])"),
            ("futex", ObjectInfo(ObjectKind.FUTEX), "for other threads"),
            ("nanosleep", SLEEP, "sleeping"),
            ("wait4", ObjectInfo(ObjectKind.CHILD, "any child"), "for a child process"),
            ("io_uring_enter", ObjectInfo(ObjectKind.NONE), "in io_uring_enter"),
            ("", ObjectInfo(ObjectKind.NONE), "in other calls"),
        ):
            self.assertEqual(expected, wait_phrase(call, info))
