"""Tests of reading /proc."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine import proc

from .fake_proc import add_process


class StatTests(SynchronousTestCase):
    """The file stat, whose second field is a name in parentheses."""

    def setUp(self) -> None:
        """Create a directory for processes."""
        self.root = Path(self.mktemp())

    def test_names(self) -> None:
        """A name may contain parentheses, spaces and newlines."""
        for pid, comm in enumerate(("plain", "a) R 7 (b", ") (", "two\nlines", "")):
            add_process(self.root, pid + 1, comm, parent=42, state="T")
            stat = proc.read_stat(pid + 1, self.root)
            assert stat is not None
            self.assertEqual((comm.encode(), "T", 42), (stat.comm, stat.state, stat.parent))

    def test_missing(self) -> None:
        """What cannot be read is None or empty."""
        self.root.mkdir()
        self.assertIsNone(proc.read_stat(5, self.root))
        self.assertIsNone(proc.read_process(5, self.root))
        self.assertEqual({}, proc.read_status(5, self.root))
        self.assertEqual([], proc.control_groups(5, self.root))
        self.assertEqual(b"", proc.raw_comm(5, self.root))
        (self.root / "6").mkdir()
        (self.root / "6" / "stat").write_text("no name at all\n")
        self.assertIsNone(proc.read_stat(6, self.root))

    def test_processes(self) -> None:
        """Processes are listed by PID, without zombies and kernel threads."""
        for pid, options in ((10, {}), (9, {}), (2, {"flags": 0x0020_0000}), (3, {"state": "Z"})):
            add_process(self.root, pid, "name", **options)
        (self.root / "version").touch()
        self.assertEqual([2, 3, 9, 10], proc.pids(self.root))
        self.assertEqual([9, 10], [process.pid for process in proc.processes(self.root)])

    def test_control_groups(self) -> None:
        """The path of a group may contain colons."""
        add_process(self.root, 1, "name", groups="4:cpu,cpuacct:/a:b\n0::/c")
        expected = [("cpu,cpuacct", "/a:b"), ("", "/c")]
        self.assertEqual(expected, proc.control_groups(1, self.root))


class OwnProcessTests(SynchronousTestCase):
    """The process that runs the tests."""

    def test_cpu_time(self) -> None:
        """Its CPU time is that of all its threads."""
        used, times = proc.read_stat(), os.times()
        assert used is not None
        seconds = used.cpu_ticks / os.sysconf("SC_CLK_TCK")
        self.assertAlmostEqual(times.user + times.system, seconds, delta=0.1)

    def test_identity(self) -> None:
        """Its PID, its parent, its threads and its descriptors are known."""
        identity = proc.identify(os.getpid())
        assert identity is not None
        self.assertEqual((os.getpid(), os.getppid()), (identity.pid, identity.parent))
        self.assertIn(os.getpid(), proc.thread_ids(os.getpid()))
        self.assertTrue(proc.has_thread(os.getpid(), os.getpid()))
        self.assertFalse(proc.has_ended(os.getpid()))
        read_end, write_end = os.pipe()
        self.assertLessEqual({read_end, write_end}, set(proc.open_descriptors()))
        os.close(read_end)
        os.close(write_end)

    def test_no_process(self) -> None:
        """A PID that no process can have is that of none."""
        self.assertIsNone(proc.identify(1 << 30))
        self.assertEqual(set(), proc.thread_ids(1 << 30))
        self.assertFalse(proc.exists(1 << 30))
        self.assertTrue(proc.has_ended(1 << 30))
        self.assertEqual(b"", proc.read_link(1 << 30, "exe"))
        self.assertIsNone(proc.call_in_progress(1 << 30))
