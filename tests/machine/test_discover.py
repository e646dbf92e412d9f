"""Tests of finding processes by name."""

import os
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.base.text import escape_text
from syswatch.machine import groups
from syswatch.machine.discover import candidates, find
from syswatch.machine.groups import group_around
from tests.hostile import HOSTILE

from .fake_proc import CONTAINER, add_process

KUBERNETES = f"/kubepods.slice/kubepods-pod1.slice/cri-containerd-{CONTAINER}.scope"


class DiscoverTests(TestCase):
    """A simulated /proc."""

    def setUp(self) -> None:
        """Create the directory."""
        self.root = Path(self.mktemp())
        self.root.mkdir()
        (self.root / "self").mkdir()
        add_process(self.root, 1, "systemd", "/sbin/init", "0::/init.scope", parent=0)

    def found(self, name: str, own_pid: int = 0) -> list[int]:
        """Return the PIDs that are found, best first."""
        return [match.pid for match in find(name, self.root, own_pid)]

    def test_containers(self) -> None:
        """A container is found by its ID or the beginning of it, whatever its runtime."""
        groups = (
            f"0::/system.slice/docker-{CONTAINER}.scope",
            f"4:memory:/docker/{CONTAINER}\n0::/",
            f"0::{KUBERNETES}",
            f"0::/machine.slice/libpod-{CONTAINER}.scope/container",
            f"2:cpu:/kubepods/burstable/pod5/crio-{CONTAINER}",
        )
        for number, group in enumerate(groups, start=10):
            add_process(self.root, number, "app", "/app", group)
        for name in (CONTAINER, CONTAINER[:12], CONTAINER[:6]):
            self.assertEqual([10, 11, 12, 13, 14], self.found(name))
        self.assertEqual("container 724f319464fa", find(CONTAINER, self.root, 0)[0].why)
        self.assertEqual([], self.found(CONTAINER[1:13]))

    def test_monitor(self) -> None:
        """What watches a container has its ID as well, and is not in it."""
        for number, group in enumerate((f"libpod-conmon-{CONTAINER}", f"libpod-{CONTAINER}"), 10):
            add_process(self.root, number, "app", "/app", f"0::/machine.slice/{group}.scope")
        self.assertEqual([11], self.found(CONTAINER))

    def test_units(self) -> None:
        """A service is found with and without its suffix."""
        add_process(self.root, 20, "nginx-bin", "/n", "0::/system.slice/nginx.service")
        self.assertEqual([20], self.found("nginx"))
        self.assertEqual([20], self.found("nginx.service"))
        self.assertEqual("control group nginx.service", find("nginx", self.root, 0)[0].why)

    def test_order(self) -> None:
        """Groups come before commands, and exact matches before partial ones."""
        add_process(self.root, 2, "tail", "tail -f /var/log/web.log")
        add_process(self.root, 3, "webserver", "/usr/bin/webserver")
        add_process(self.root, 4, "python3", "python3 run", "0::/system.slice/web-old.service")
        add_process(self.root, 5, "python3", "/usr/bin/web --port 80")
        add_process(self.root, 7, "web", "x")
        add_process(self.root, 6, "web", "x")
        add_process(self.root, 9, "python3", "python3 run", "0::/system.slice/web.service")
        self.assertEqual([9, 6, 7, 5, 4, 3, 2], self.found("web"))

    def test_candidates(self) -> None:
        """A group is one thing, and so is a process with its children; what fits worse is none."""
        add_process(self.root, 20, "nginx", "nginx: master")
        add_process(self.root, 21, "nginx", "nginx: worker", parent=20)
        add_process(self.root, 22, "nginx-exporter", "x")
        add_process(self.root, 30, "app", "/app", "0::/system.slice/web.service")
        add_process(self.root, 31, "db", "/db", "0::/system.slice/web.service")
        add_process(self.root, 32, "web", "web")
        add_process(self.root, 40, "job", "x")
        add_process(self.root, 41, "job", "x", parent=1)
        for name, expected in (("nginx", [20]), ("web", [30]), ("job", [40, 41])):
            found = candidates(find(name, self.root, 0))
            self.assertEqual(expected, [match.pid for match in found])

    def test_slices(self) -> None:
        """A part of a slice's name does not match all that is in the slice."""
        add_process(self.root, 20, "app", "/app", "0::/system.slice/app.service")
        self.assertEqual([1], self.found("system"))
        self.assertEqual([20], self.found("system.slice"))

    def test_kernel(self) -> None:
        """Kernel threads are not found."""
        add_process(self.root, 20, "ksoftirqd/0", flags=0x04208040)
        self.assertEqual([], self.found("ksoftirqd/0"))

    def test_long_names(self) -> None:
        """A name that the kernel has cut still matches."""
        add_process(self.root, 20, "a-command-with-", "")
        self.assertEqual([20], self.found("a-command-with-a-long-name"))

    def test_own_processes(self) -> None:
        """Neither syswatch nor its wrappers are found, although the name is in their arguments."""
        add_process(self.root, 30, "bash", "bash", parent=1)
        add_process(self.root, 31, "sudo", "sudo syswatch discover nginx", parent=30)
        add_process(self.root, 32, "syswatch", "python syswatch discover nginx", parent=31)
        add_process(self.root, 33, "vi", "vi nginx.conf", parent=30)
        self.assertEqual([33], self.found("nginx", own_pid=32))
        self.assertEqual([], self.found("sudo", own_pid=32))
        self.assertEqual([30], self.found("bash", own_pid=32))

    def test_scripts_of_syswatch(self) -> None:
        """A script that passes the name to syswatch is not found, unless that is its own name."""
        add_process(self.root, 30, "sh", "sh watch.sh nginx", parent=1)
        add_process(self.root, 31, "nginx-helper", "/bin/nginx-helper", parent=30)
        add_process(self.root, 32, "syswatch", "python syswatch discover nginx", parent=31)
        self.assertEqual([31], self.found("nginx", own_pid=32))

    def test_zombies_and_strange_names(self) -> None:
        """Ended processes, kernel threads and strange names are handled."""
        add_process(self.root, 40, "gone", "", state="Z")
        add_process(self.root, 41, "kworker/0:1", "")
        add_process(self.root, 42, "a) S 1 (b", "")
        (self.root / "43").mkdir()
        self.assertEqual([], self.found("gone"))
        self.assertEqual([41], self.found("kworker"))
        self.assertEqual([42], self.found("a) S 1 (b"))
        self.assertEqual([], self.found(""))

    def test_hostile(self) -> None:
        """Names of processes, groups and arguments are found and shown escaped."""
        self.patch(groups, "mount_point", lambda: Path("/groups"))
        for number, (raw, shown) in enumerate(HOSTILE.items(), start=50):
            if b"\n" in raw:
                continue  # A group cannot have it in its name.
            folder = add_process(self.root, number, "")
            (folder / "stat").write_bytes(b"%d (c%s) S 1 5 5 0 -1 0 0\n" % (number, raw))
            (folder / "cmdline").write_bytes(b"w" + raw + b"\0")
            (folder / "cgroup").write_bytes(b"0::/x" + raw + b".scope\n")
            for name in (b"c" + raw, b"x" + raw + b".scope", b"w" + raw):
                for given in (os.fsdecode(name), escape_text(name)):
                    (match,) = find(given, self.root, 0)
                    self.assertEqual((number, f"c{shown}"), (match.pid, match.comm))
                    self.assertTrue(match.why.endswith(escape_text(name)), match)
            (match,) = find(f"x{shown}.scope", self.root, 0)
            folder = Path("/groups", os.fsdecode(b"x" + raw + b".scope"))
            self.assertEqual(folder, group_around(number, match.segment, self.root))

    def test_real_machine(self) -> None:
        """On this machine, the process of the tests is found by its name."""
        comm = Path("/proc/self/comm").read_text().strip()
        self.assertIn(os.getpid(), [match.pid for match in find(comm, own_pid=0)])
