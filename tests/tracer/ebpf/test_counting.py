"""Tests of `--mode counts`, which has a program of its own for the end of a call (Linux 6.2)."""

from unittest import SkipTest

from syswatch.tracer.ebpf import layout
from syswatch.tracer.ebpf.relocation import casts_pointers
from syswatch.tracer.ebpf.settings import settings_of
from tests.tracer.contract.targets import Target
from tests.tracer.programs import program

from .case import EbpfCase

# 200 calls that succeed and 100 that fail in one process, and as many in its child.
_CALLS = (
    "echo ready; read line; exec 3>/dev/null;"
    " work() { for turn in $(seq 100); do umask >&3; cd / >&3; cd /no/such 2>&3; done; };"
    " work; (work); exit 42"
)


class ChoiceTests(EbpfCase):
    """When the program that only counts is loaded."""

    def test_settings(self) -> None:
        """Whatever needs more of a task than its process needs the other program."""
        for options, scope, expected in (
            ({}, layout.NAMED_ONLY, True),
            ({}, layout.EVERYBODY, True),
            ({"per_process": True, "status": "failed"}, layout.NAMED_ONLY, True),
            ({}, layout.GROUP, False),
            ({"group_by": "cgroup"}, layout.EVERYBODY, False),
            ({"paths": ("/etc",)}, layout.NAMED_ONLY, False),
            ({"profile": True}, layout.NAMED_ONLY, False),
            ({"mode": "full", "log_rate": 0, "objects": False}, layout.NAMED_ONLY, False),
        ):
            traced = self.options(**{"mode": "counts", **options})
            settings = settings_of(traced, scope)
            self.assertEqual(expected, settings.only_counts, (options, scope))
        recorded = settings_of(self.options(mode="counts"), records=True)
        self.assertFalse(recorded.only_counts)


class CountTests(EbpfCase):
    """Calls are counted exactly."""

    def check(self) -> None:
        """Check the calls of a process that is attached to, and of its child."""
        target = Target.begin("sh", "-c", _CALLS)
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        trace = self.prepare(mode="counts", per_process=True)
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        trace.following.begin()
        self.assertEqual(42, target.end())
        delta = trace.reader.read(everything=True, is_last=True)
        counts = {name: (call.count, call.errors) for name, call in delta.calls.items()}
        self.assertEqual((400, 200), counts["chdir"])
        self.assertEqual({"ENOENT": 200}, dict(delta.calls["chdir"].errnos))
        each = [calls["chdir"] for calls in delta.by_process.values() if "chdir" in calls]
        self.assertEqual([(200, 100)] * 2, [(call.count, call.errors) for call in each])
        total = sum(count for count, _ in counts.values())
        self.assertEqual(total, sum(tally.count for tally in delta.processes.values()))
        self.assertEqual(0, sum(call.timed for call in delta.calls.values()))

    def test_new(self) -> None:
        """By the program that reads the state of a task by loads."""
        if not casts_pointers():
            raise SkipTest("the kernel has no bpf_rdonly_cast (Linux 6.2)")
        self.check()

    def test_old(self) -> None:
        """By the one for older kernels, which newer ones load, too."""
        self.leave_out("on_exit_counting")
        self.check()

    def test_forks(self) -> None:
        """The first calls of new processes are counted as with ptrace."""
        one, other = self.both(program("storm"), "200", mode="full")
        counted = self.trace(program("storm"), "200", mode="counts")
        self.assertEqual(other.counts, counted.counts)
        self.assertEqual(one.counts, counted.counts)

    def test_results(self) -> None:
        """Results are selected as with ptrace."""
        command = ("ls", "/", "/no-such-folder")
        for status in ("failed", "successful"):
            _, expected = self.both(*command, status=status)
            counted = self.trace(*command, status=status, mode="counts")
            self.assertEqual(expected.counts, counted.counts, status)
