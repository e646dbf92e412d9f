"""Tests of the files that a program has loaded and changed."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.profiles.files import loaded_files, written_paths

Made = tuple[str, ObjectInfo, Sums]
_ONCE = Sums(count=1)


def _file(name: str) -> ObjectInfo:
    return ObjectInfo(ObjectKind.FILE, name)


def _delta(*made: Made) -> Delta:
    return Delta(
        activity={ActivityKey(7, 7, info.id, call): sums for call, info, sums in made},
        objects={info.id: info for _, info, _ in made},
    )


def _written(*made: Made, existing: str = "/kept") -> set[str] | None:
    found = written_paths(_delta(*made), existing.split().__contains__)
    return None if found is None else set(found)


class WrittenTests(SynchronousTestCase):
    """What must be writable."""

    def test_files(self) -> None:
        """A file that exists is enough; one that does not was created, in its directory."""
        wrote = Sums(count=2, bytes_out=9)
        self.assertEqual({"/kept"}, _written(("write", _file("/kept"), wrote)))
        self.assertEqual({"/var/a"}, _written(("write@i386", _file("/var/a/new"), wrote)))
        self.assertEqual({"/kept"}, _written(("fchmod", _file("/kept"), _ONCE)))

    def test_directories(self) -> None:
        """Names are changed in a directory; what is in it needs no line of its own."""
        self.assertEqual(
            {"/var/a"},
            _written(
                ("mkdir", ObjectInfo(ObjectKind.DIRECTORY, "/var/a/b"), _ONCE),
                ("unlink", _file("/var/a/b/c"), _ONCE),
            ),
        )

    def test_nothing(self) -> None:
        """Reading, failures, devices and sockets need nothing; without objects it is not known."""
        wrote = Sums(count=1, bytes_out=1)
        self.assertEqual(
            set(),
            _written(
                ("read", _file("/kept"), _ONCE),
                ("unlink", _file("/etc/none"), Sums(count=1, errors=1)),
                ("write", _file("/dev/null"), wrote),
                ("write", _file("/proc/self/comm"), wrote),
                ("sendto", ObjectInfo(ObjectKind.TCP, "10.0.0.5:443"), wrote),
            ),
        )
        self.assertIsNone(_written())


class LoadedTests(SynchronousTestCase):
    """What was executed or loaded."""

    def test_files(self) -> None:
        """Programs that were executed, and libraries that were found."""
        made = ("execve", _file("/bin/ls"), _ONCE), ("execve", _file("/no"), Sums(1, 1))
        delta = Delta(
            activity=_delta(*made).activity,
            objects=_delta(*made).objects,
            paths={"/lib/libc.so.6": 2, "/none/libc.so.6": 1, "/etc/ld.so.cache": 1, "a.so": 1},
            failed_paths={"/none/libc.so.6": 1},
        )
        self.assertEqual(
            {"/bin/ls", "/lib/libc.so.6", "/etc/ld.so.cache"}, set(loaded_files(delta))
        )
