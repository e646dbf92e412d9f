"""Tests of the facts about a machine."""

import errno
import os
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.machine.capabilities import Facts, read_facts, read_target, try_traceme
from syswatch.machine.doctor import diagnose
from syswatch.options.diagnosis import render
from tests.hostile import HOSTILE, forbidden

from .fake_proc import CONTAINER

STATUS = """Name:\ttest
State:\tS (sleeping)
TracerPid:\t77
Uid:\t1000\t1001\t1000\t1000
VmSize:\t  100 kB
CapEff:\t{capabilities:016x}
CapBnd:\t0000000000080000
NoNewPrivs:\t{no_new}
Seccomp:\t{seccomp}
"""


class FactsTests(TestCase):
    """A simulated machine."""

    def setUp(self) -> None:
        """Choose its root directory."""
        self.root = Path(self.mktemp())

    def write(self, path: str, text: str = "") -> None:
        """Create a file below the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(os.fsencode(text))

    def facts(self, error: int = 0) -> Facts:
        """Return the facts."""
        return read_facts(self.root, "/usr/bin", "/usr/bin/python3", lambda: error)

    def test_bare_machine(self) -> None:
        """A machine without any files has no features."""
        facts = self.facts()
        self.assertEqual(frozenset(), facts.capabilities)
        self.assertIsNone(facts.ptrace_scope)
        self.assertEqual("none", facts.lockdown)
        self.assertEqual("", facts.container)
        self.assertFalse(facts.btf or facts.libbpf or facts.strace or facts.user_namespace)

    def test_everything(self) -> None:
        """Each fact is read from its file."""
        bits = 1 << 19 | 1 << 39 | 1
        self.write("proc/self/status", STATUS.format(capabilities=bits, no_new=1, seccomp=2))
        self.write("proc/self/uid_map", "         0       1000          1\n")
        self.write("proc/sys/kernel/yama/ptrace_scope", "2\n")
        self.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
        self.write("sys/kernel/btf/vmlinux")
        self.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
        self.write("usr/lib/x86_64-linux-gnu/libbpf.so.1")
        self.write("usr/bin/strace")
        expected = Facts(
            uid=1001,
            capabilities=frozenset({"CAP_SYS_PTRACE", "CAP_BPF"}),
            ptrace_scope=2,
            seccomp=2,
            no_new_privileges=True,
            container="",
            user_namespace=True,
            kernel="6.1.0-18-amd64",
            btf=True,
            libbpf=True,
            lockdown="integrity",
            strace=True,
            traceme_errno=errno.EPERM,
            interpreter=str(Path("/usr/bin/python3").resolve()),
            tracer_pid=77,
            of_root=frozenset({"CAP_SYS_PTRACE"}),
        )
        self.assertEqual(expected, self.facts(errno.EPERM))

    def test_unreadable_search_path(self) -> None:
        """An unreadable directory in the PATH is skipped, as in a shell."""
        # Root can read every directory, but none with such a name.
        path = f"/{'x' * 300}:/usr/bin"
        self.assertFalse(read_facts(self.root, path, traceme=lambda: 0).strace)
        self.write("usr/bin/strace")
        self.assertTrue(read_facts(self.root, path, traceme=lambda: 0).strace)

    def test_containers(self) -> None:
        """A container is recognized by its control group or by marker files."""
        for kind, group in (
            ("docker", f"0::/system.slice/docker-{CONTAINER}.scope"),
            ("docker", f"1:cpu:/docker/{CONTAINER}"),
            ("kubernetes", f"0::/kubepods.slice/cri-containerd-{CONTAINER}.scope"),
            ("podman", f"0::/machine.slice/libpod-{CONTAINER}.scope"),
            ("lxc", "0::/lxc.payload.web/init.scope"),
            ("", "0::/system.slice/docker.service"),
        ):
            self.write("proc/self/cgroup", group)
            self.assertEqual(kind, self.facts().container, group)
        self.write("run/.containerenv")
        self.assertEqual("podman", self.facts().container)
        self.write(".dockerenv")
        self.assertEqual("docker", self.facts().container)
        # Its runtimes leave the other marks, too.
        self.write("etc/hosts", "# Kubernetes-managed hosts file.\n127.0.0.1 localhost\n")
        self.assertEqual("kubernetes", self.facts().container)

    def test_target(self) -> None:
        """For another process, its user and its tracer are known."""
        self.write("proc/5/status", STATUS.format(capabilities=0, no_new=0, seccomp=0))
        self.write("proc/2/status", "Name:\tkthreadd\nState:\tS (sleeping)\nUid:\t0\t0\t0\t0\n")
        self.write("proc/5/comm", "te\x1bst\n")
        target = read_target(5, self.root)
        kernel_thread = read_target(2, self.root)
        assert target is not None
        assert kernel_thread is not None
        self.assertEqual((1001, 77, "te\\x1bst"), (target.uid, target.tracer_pid, target.name))
        self.assertFalse(target.kernel_thread)
        self.assertTrue(kernel_thread.kernel_thread)
        self.assertIsNone(read_target(6, self.root))

    def test_hostile(self) -> None:
        """Names of the machine are escaped."""
        self.write("proc/self/status", STATUS.format(capabilities=0, no_new=0, seccomp=0))
        for raw, shown in HOSTILE.items():
            text = os.fsdecode(raw)
            self.write("proc/sys/kernel/osrelease", text + "x\n")
            self.write("sys/kernel/security/lockdown", f"none [{text}]")
            facts = read_facts(self.root, "", f"/opt/{text}", lambda: 0)
            page = render(facts, diagnose(facts))
            self.assertEqual(set(), forbidden(page, but="\n"))
            self.assertIn(f"kernel              {shown}x\n", page)
            self.assertTrue(facts.interpreter.endswith(f"/opt/{shown}"))

    def test_real_machine(self) -> None:
        """The facts of this machine can be read, and tracing a child process can be tried."""
        self.assertTrue(read_facts().kernel)
        self.assertIn(try_traceme(), {0, errno.EPERM, errno.EACCES, errno.ENOSYS})
