"""Tests of control groups."""

from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.machine import groups
from syswatch.machine.groups import GroupError, folder_of, has_version_1, mount_point, pids_in


class MountTests(TestCase):
    """The mount point."""

    def test_mounted(self) -> None:
        """The mount of version 2 is found among others, whatever its name."""
        table = Path(self.mktemp())
        table.write_text(
            "24 1 0:21 / /sys rw - sysfs sysfs rw\n"
            "30 24 0:26 / /sys/fs/cgroup/pids rw shared:1 - cgroup cgroup rw,pids\n"
            r"31 24 0:27 / /odd\040folder rw shared:2 - cgroup2 cgroup2 rw" + "\n"
        )
        self.assertEqual(Path("/odd folder"), mount_point(table))

    def test_version_1(self) -> None:
        """Hierarchies of version 1 are noticed, also beside version 2."""
        table, newer = (
            Path(self.mktemp()),
            "31 24 0:27 / /cgroup rw shared:2 - cgroup2 cgroup2 rw\n",
        )
        table.write_text(newer)
        self.assertFalse(has_version_1(table))
        table.write_text(f"{newer}30 24 0:26 / /pids rw shared:1 - cgroup cgroup rw,pids\n")
        self.assertTrue(has_version_1(table))

    def test_unusual_mounts(self) -> None:
        """Names that are not text or contain newlines do not hide other mounts."""
        table = Path(self.mktemp())
        table.write_bytes(
            b"24 1 0:21 / /mnt/a\xff\x0bb\x0cc\x1cd rw - fuse x\xc2\x85 rw\n"
            + "25 1 0:22 / /mnt/l\u2028p rw - fuse y rw\n".encode()
            + rb"31 24 0:27 / /odd\303\244\134 rw shared:2 - cgroup2 cgroup2 rw"
            + b"\n"
        )
        self.assertEqual(Path("/oddä\\"), mount_point(table))

    def test_absent(self) -> None:
        """Without a mount, there is an error."""
        table = Path(self.mktemp())
        table.write_text("24 1 0:21 / /sys rw - sysfs sysfs rw\n")
        self.assertIsNone(mount_point(table))
        self.patch(groups, "mount_point", lambda: None)
        error = self.assertRaises(GroupError, folder_of, "/")
        self.assertIn("control groups of version 2 are not mounted", str(error))

    def test_impossible(self) -> None:
        """A name that no file can have is not a group."""
        self.patch(groups, "mount_point", Path)
        error = self.assertRaises(GroupError, folder_of, "n" * 5000)
        self.assertIn("no control group n", str(error))


class GroupTests(TestCase):
    """Groups in the hierarchy."""

    def setUp(self) -> None:
        """Create directories that look like groups."""
        self.root = Path(self.mktemp()).resolve()
        (self.root / "web.service" / "inner").mkdir(parents=True)
        (self.root / "web.service" / "cgroup.procs").write_text("7\n9\n")
        (self.root / "web.service" / "inner" / "cgroup.procs").write_text("5\n")
        self.patch(groups, "mount_point", lambda: self.root)

    def test_paths(self) -> None:
        """A group is given by its directory, or by its path from the mount point."""
        expected = self.root / "web.service"
        for name in (str(expected), "/web.service", "web.service", "web.service/inner/.."):
            self.assertEqual(expected, folder_of(name))
        for name in ("nothing", "/etc", "../.."):
            error = self.assertRaises(GroupError, folder_of, name)
            self.assertIn(f"no control group {name} below", str(error))

    def test_members(self) -> None:
        """Processes in a group or below it are found."""
        self.assertEqual({5, 7, 9}, set(pids_in(self.root / "web.service")))

    def test_around(self) -> None:
        """A process is in its group and in all groups above; a missing one is in none."""
        proc = Path(self.mktemp())
        (proc / "7").mkdir(parents=True)
        (proc / "7" / "cgroup").write_text("4:pids:/web.slice\n0::/web.slice/docker-1/inner\n")
        for segment in ("web.slice", "web.slice/docker-1", "web.slice/docker-1/inner"):
            found = groups.group_around(7, Path(segment).name, proc)
            self.assertEqual(self.root / segment, found)
        self.assertIsNone(groups.group_around(7, "pids", proc))
        # As a process in a namespace of its own sees groups of the host.
        (proc / "7" / "cgroup").write_text("0::/../../system.slice/nginx.service\n")
        self.assertIsNone(groups.group_around(7, "nginx.service", proc))
        self.assertIsNone(groups.group_around(8, "web.slice", proc))
