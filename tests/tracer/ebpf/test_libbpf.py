"""Tests of loading the program, and of the errors when eBPF cannot be used."""

import errno
import subprocess
import sys
from threading import Thread, active_count

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.capabilities import Facts
from syswatch.model.messages import TraceOptions
from syswatch.tracer.ebpf import layout, libbpf, maps
from syswatch.tracer.ebpf.libbpf import EbpfError, Libbpf, refusal
from syswatch.tracer.ebpf.program import Program
from syswatch.tracer.ebpf.settings import settings_of
from tests.machine.test_doctor import ROOT

from .case import require_ebpf

_PACKAGE = "syswatch.tracer.ebpf."
# The last three depend on options.
_READING = ("trace", "reader", "records", "evidence", "groups", "recording")
_AWAITED = """
import sys
from syswatch.model.messages import RunCommand
from syswatch.tracer.backend import Context
from syswatch.tracer.ebpf.backend import EbpfBackend

backend = EbpfBackend(Context(RunCommand(("true",)), None, None))
backend.prepare()
backend.await_job()
print(*sys.modules)
"""
_FOLLOWED = """
import os, sys
from syswatch.model.messages import TraceOptions
from syswatch.tracer.ebpf.following import Following
from syswatch.tracer.ebpf.loading import load

os.sched_getaffinity = lambda _: range(int(sys.argv[1]))
following = Following(load(TraceOptions()))
following.take(os.getppid(), 1)
following.begin()
following.program.close()
print(*sys.modules)
"""


class RefusalTests(SynchronousTestCase):
    """One sentence for each missing requirement, and for unexpected errors."""

    def pretend(self, facts: Facts) -> None:
        """Pretend to be on another machine."""
        self.patch(libbpf, "read_facts", lambda **_: facts)

    def test_missing(self) -> None:
        """What is missing is reported, whatever error the kernel returns."""
        for change, expected in (
            (
                {"btf": False},
                "it needs kernel type information (BTF, /sys/kernel/btf/vmlinux). What helps",
            ),
            ({"kernel": "5.4.0"}, "it needs Linux 5.12 or newer (this is 5.4.0). What helps"),
            ({"lockdown": "confidentiality"}, "it needs a kernel without confidentiality lockdown"),
            ({"capabilities": frozenset({"CAP_BPF"})}, "it needs CAP_PERFMON. What helps"),
        ):
            self.pretend(attrs.evolve(ROOT, **change))
            for number in (errno.ESRCH, errno.EPERM, errno.EINVAL):
                self.assertIn(expected, refusal("load the program", number))

    def test_unexpected(self) -> None:
        """If nothing is missing, the error of the kernel or a possible cause is reported."""
        self.pretend(ROOT)
        self.assertEqual(
            "eBPF cannot be used: the kernel refused to load the program: not enough memory.",
            refusal("load the program", errno.ENOMEM),
        )
        self.assertIn(
            "possibly because of a security module", refusal("load the program", errno.EPERM)
        )
        self.pretend(attrs.evolve(ROOT, seccomp=2))
        self.assertIn("possibly because of a seccomp filter", refusal("load", errno.EPERM))

    def test_library(self) -> None:
        """A missing library is reported with how to install it; a broken one is named."""
        self.patch(libbpf, "SONAME", "libbpf-that-is-not-there.so.1")
        self.pretend(attrs.evolve(ROOT, libbpf=False))
        self.assertIn("apt install libbpf1", str(self.assertRaises(EbpfError, Libbpf)))
        self.pretend(ROOT)
        error = str(self.assertRaises(EbpfError, Libbpf))
        self.assertTrue(error.startswith("eBPF cannot be used: libbpf-that-is-not-there.so.1: "))


class LoadTests(SynchronousTestCase):
    """Loading while something else is done."""

    def setUp(self) -> None:
        """Skip the tests without eBPF."""
        require_ebpf()

    def load(self) -> list[int]:
        """Load the program; return how many more threads there were meanwhile."""
        before, found = active_count(), list[int]()
        settings = settings_of(TraceOptions())
        program = Program.load(settings, lambda _: found.append(active_count() - before))
        self.addCleanup(program.close)
        self.assertEqual(before, active_count())
        self.assertGreaterEqual(program.fd("tasks"), 0)
        return found

    def test_meanwhile(self) -> None:
        """Another thread loads it, which has ended when it is loaded."""
        self.assertEqual([1], self.load())

    def test_no_thread(self) -> None:
        """It is loaded also where no more threads are permitted."""

        def refuse(_: Thread) -> None:
            raise RuntimeError

        self.patch(Thread, "start", refuse)
        self.assertEqual([0], self.load())

    def test_refused(self) -> None:
        """An error of the other thread is reported, whatever was done meanwhile."""
        settings = settings_of(TraceOptions())
        self.patch(maps, "RING_BYTES", 4095)
        error = self.assertRaises(EbpfError, Program.load, settings)
        self.assertIn("the kernel refused to create a map: Invalid argument", str(error))

    def test_failure_meanwhile(self) -> None:
        """An error meanwhile is reported when the other thread has ended."""
        before = active_count()

        def fail(_: layout.Catalog) -> None:
            raise KeyError

        self.assertRaises(KeyError, Program.load, settings_of(TraceOptions()), fail)
        self.assertEqual(before, active_count())

    def test_imports(self) -> None:
        """What reads the maps is imported meanwhile only where there is a CPU or time for it."""
        for cpus, expected in ((2, set()), (3, {"reader", "records", "trace"})):
            self.assertEqual(expected, self.imported(_FOLLOWED, cpus).intersection(_READING))
        expected = {"reader", "records", "trace"}
        self.assertEqual(expected, self.imported(_AWAITED).intersection(_READING))

    def imported(self, script: str, *arguments: int) -> set[str]:
        """Return which modules of this backend a script has imported at its end."""
        command = (sys.executable, "-c", script, *map(str, arguments))
        done = subprocess.run(command, check=True, capture_output=True)
        names = done.stdout.decode().split()
        return {each.rpartition(".")[2] for each in names if each.startswith(_PACKAGE)}
