"""Tests of syswatch.tracer.objects.targets."""

from unittest import TestCase

from syswatch.model.catalog.entries import documented
from syswatch.tracer.objects.targets import Moved, Way, target_of


class TargetsTest(TestCase):
    """Which argument of a call is its object."""

    def test_ways(self) -> None:
        """Each way has its calls."""
        for name, way, argument in (
            ("read", Way.DESCRIPTOR, 0),
            ("mmap", Way.DESCRIPTOR, 4),
            ("fcntl64", Way.DESCRIPTOR, 0),
            ("accept4", Way.DESCRIPTOR, 0),
            ("inotify_add_watch", Way.DESCRIPTOR, 0),
            ("stat", Way.PATH, 0),
            ("newfstatat", Way.PATH, 1),
            ("symlinkat", Way.PATH, 2),
            ("rename", Way.PATH, 0),
            ("openat", Way.OPENED_PATH, 1),
            ("socket", Way.RESULT, -1),
            ("pipe2", Way.PAIR, 0),
            ("futex", Way.FUTEX, 0),
            ("nanosleep", Way.SLEEP, 0),
            ("clock_nanosleep", Way.SLEEP, 2),
            ("wait4", Way.CHILD, -1),
            ("vfork", Way.CHILD, -1),
            ("pause", Way.SIGNAL, -1),
            ("poll", Way.POLL, 0),
            ("pselect6", Way.SELECT, 1),
            ("epoll_pwait", Way.EPOLL, 1),
            ("getpid", Way.NONE, -1),
            ("bpf", Way.NONE, -1),
            ("no_such_call", Way.NONE, -1),
            ("write@i386", Way.DESCRIPTOR, 0),
        ):
            with self.subTest(name):
                self.assertEqual(target_of(name)[:2], (way, argument))

    def test_bytes(self) -> None:
        """Bytes are read from one descriptor and written to the other."""
        both = Moved.IN | Moved.OUT
        self.assertEqual(target_of("sendfile")[:6], (Way.DESCRIPTOR, 1, -1, 0, both, -1))
        self.assertEqual(target_of("copy_file_range")[:6], (Way.DESCRIPTOR, 0, -1, 2, both, -1))
        self.assertEqual(target_of("splice").moved, Moved.NOTHING)
        self.assertEqual(target_of("recvmmsg").moved, Moved.IN | Moved.MESSAGES)
        flags = {
            name: target_of(name).flags for name in ("read", "recvfrom", "recvmsg", "recvmmsg")
        }
        self.assertEqual({"read": -1, "recvfrom": 3, "recvmsg": 2, "recvmmsg": 3}, flags)

    def test_second_paths(self) -> None:
        """The text of a symbolic link is not a second path."""
        found = {
            name: (target_of(name).other_path, target_of(name).other_directory)
            for name in ("rename", "renameat2", "linkat", "mount", "symlink", "symlinkat", "stat")
        }
        self.assertEqual(
            {
                **dict.fromkeys(("rename", "mount"), (1, -1)),
                **dict.fromkeys(("renameat2", "linkat"), (3, 2)),
                **dict.fromkeys(("symlink", "symlinkat", "stat"), (-1, -1)),
            },
            found,
        )

    def test_waits(self) -> None:
        """Nearly every call that can wait has an object."""
        without = {
            call.name
            for call in documented()
            if call.can_wait and target_of(call.name).way is Way.NONE
        }
        # System V IPC, asynchronous I/O, and calls whose object is in memory.
        self.assertEqual(
            without - {"futex_waitv", "io_getevents", "msgrcv", "msgsnd", "restart_syscall"},
            {"semop", "semtimedop", "semtimedop_time64"},
        )
