"""Tests of messages about resource limits."""

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine import limits as shortages
from syswatch.machine.limits import describe, describe_failure, shortage
from tests.hostile import HOSTILE


class ShortageTests(SynchronousTestCase):
    """Errors caused by limits, and others."""

    def limit(self, *numbers: int) -> None:
        """Set these limits only."""

        def fake(number: int) -> tuple[int, int]:
            soft = 4096 if number in numbers else resource.RLIM_INFINITY
            return soft, resource.RLIM_INFINITY

        getrlimit: Callable[[int], tuple[int, int]] = fake
        self.patch(resource, "getrlimit", getrlimit)

    def test_limits(self) -> None:
        """The limit is named, with the command that raises it."""
        for error, number, expected in (
            (
                OSError(errno.EMFILE, "Too many open files"),
                resource.RLIMIT_NOFILE,
                (
                    "too many open files: the limit on open files is 4096 "
                    "(raise it with: ulimit -n 1024)"
                ),
            ),
            (
                MemoryError(),
                resource.RLIMIT_AS,
                (
                    "not enough memory: the limit on virtual memory is 4 kB "
                    "(raise it with: ulimit -v unlimited)"
                ),
            ),
            (
                ImportError("libm.so.6: failed to map segment from shared object"),
                resource.RLIMIT_DATA,
                "not enough memory: the limit on data is 4 kB (raise it with: ulimit -d unlimited)",
            ),
            (
                OSError(errno.EFBIG, "File too large"),
                resource.RLIMIT_FSIZE,
                (
                    "the file is too large: the limit on the size of files is 4 kB "
                    "(raise it with: ulimit -f unlimited)"
                ),
            ),
        ):
            self.limit(number)
            self.assertEqual(expected, shortage(error))

    def test_unlimited(self) -> None:
        """Without a limit, the message names the shortage only."""
        self.limit()
        self.assertEqual("not enough memory", shortage(MemoryError()))

    def test_others(self) -> None:
        """Other errors have their own messages."""
        self.assertIsNone(shortage(ImportError("No module named 'x'")))
        self.assertEqual("No such file", describe(FileNotFoundError(errno.ENOENT, "No such file")))
        self.assertEqual("internal error in the tracer: KeyError: 7", describe_failure(KeyError(7)))
        self.limit()
        said = describe_failure(MemoryError())
        self.assertEqual("the tracer cannot continue: not enough memory", said)

    def test_control_group(self) -> None:
        """A full control group is named; the two versions have their files in different places."""
        for controllers, folder in (("", "sys/fs/cgroup/box"), ("pids", "sys/fs/cgroup/pids/box")):
            root = Path(self.mktemp())
            (root / "proc/self").mkdir(parents=True)
            (root / "proc/self/cgroup").write_text(f"4:memory:/other\n7:{controllers}:/box\n")
            (root / folder).mkdir(parents=True)
            (root / folder / "pids.max").write_text("20\n")
            (root / folder / "pids.current").write_text("20\n")
            expected = f"the control group /box allows 20 (raise it in {root}/{folder}/pids.max)"
            self.assertEqual(expected, shortages.full_group(root))
            (root / folder / "pids.max").write_text("max\n")
            self.assertEqual("", shortages.full_group(root))

    def test_group_around(self) -> None:
        """The limit may be that of a group around the own one."""
        root = Path(self.mktemp())
        (root / "proc/self").mkdir(parents=True)
        (root / "proc/self/cgroup").write_text("0::/user.slice/app.scope\n")
        for group, most in (("user.slice", "20"), ("user.slice/app.scope", "max")):
            (root / "sys/fs/cgroup" / group).mkdir(parents=True)
            (root / "sys/fs/cgroup" / group / "pids.max").write_text(f"{most}\n")
            (root / "sys/fs/cgroup" / group / "pids.current").write_text("20\n")
        self.assertIn("the control group /user.slice allows 20 (", shortages.full_group(root))

    def test_root(self) -> None:
        """The limit on the processes of a user does not bind root."""
        self.patch(shortages, "full_group", lambda: "")
        self.limit(resource.RLIMIT_NPROC)
        for uid, expected in ((0, ""), (7, ": the limit on processes of this user is 4096 (")):
            self.patch(os, "geteuid", lambda uid=uid: uid)
            found = shortage(OSError(errno.EAGAIN, "")) or ""
            self.assertTrue(found.startswith(f"no more processes can be started{expected}"), found)
            self.assertEqual(bool(expected), "user" in found)

    def test_hostile_group_name(self) -> None:
        """A full group is found, whatever bytes are in its name."""
        for raw in HOSTILE:
            name = os.fsdecode(raw.replace(b"\n", b""))
            root = Path(self.mktemp())
            folder = root / "sys/fs/cgroup/a" / name
            folder.mkdir(parents=True)
            (root / "proc/self").mkdir(parents=True)
            (root / "proc/self/cgroup").write_bytes(b"0::/a/" + os.fsencode(name) + b"\n")
            (folder / "pids.max").write_text("20\n")
            (folder / "pids.current").write_text("20\n")
            self.assertIn(f"control group /a/{name} allows 20", shortages.full_group(root))
