"""Tests of commands started under ptrace, beyond the contract of all backends."""

import os
import signal

from syswatch.model.messages import Deliver, Detach, Ended, Failed, RunCommand

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import commands, counting, killing
from tests.tracer.harness import run
from tests.tracer.programs import program
from tests.tracer.strace import strace_counts
from tests.unmeasured import unmeasured

from .case import PtraceCase


class CountTests(PtraceCase, counting.CountContract):
    """Counts and errors are those of strace -c -f."""

    def test_group_stop(self) -> None:
        """A stopped process stays stopped until SIGCONT, and its parent is notified."""
        outcome = self.assert_like_strace(program("group_stop"))
        self.assertEqual(Ended(exit_code=0), outcome.ending)

    def test_memory_without_leader(self) -> None:
        """The memory of a thread can be read when the first thread of its process has ended."""
        log = self.trace(program("leader_exit")).delta.log
        sleeping = [entry.args for entry in log if entry.name == "clock_nanosleep"]
        self.assertEqual(["CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=50000000}, NULL"], sleeping)

    def test_time_without_leader(self) -> None:
        """A first thread that has ended does not wait in exit for the others."""
        delta = self.trace(program("leader_exit")).delta
        waits = {wait.call for each in delta.threads.values() for wait in each.times.waiting}
        self.assertEqual({"clock_nanosleep"}, waits)

    def test_untraced_clone(self) -> None:
        """A child that cannot be followed is counted in the ledger."""
        outcome = self.assert_like_strace(program("odd_clone"), "untraced")
        self.assertEqual((3, 0), outcome.counts["getppid"])
        self.assertEqual(1, outcome.delta.ledger.unfollowed_processes)

    def test_untraced_clone_unselected(self) -> None:
        """The same holds if the call that created it is not selected."""
        for options in ({"trace": "getppid"}, {"trace": "getppid", "colocate": False}):
            outcome = self.trace(program("odd_clone"), "untraced", **options)
            self.assertEqual({"getppid": (3, 0)}, outcome.counts)
            self.assertEqual(1, outcome.delta.ledger.unfollowed_processes)

    def test_ptrace_in_target(self) -> None:
        """A program that requests to be traced gets an error, as it is traced already."""
        outcome = self.assert_like_strace(program("misc"), "ptrace")
        self.assertEqual(Ended(exit_code=0), outcome.ending)

    def test_tables_of_processes(self) -> None:
        """The tables of processes add up to the counts."""
        delta = self.trace(program("storm"), "40", per_process=True).delta
        total = sum(tally.count for tally in delta.calls.values())
        self.assertEqual(total, sum(t.count for p in delta.by_process.values() for t in p.values()))


class KillTests(PtraceCase, killing.KillContract):
    """A call is counted if it has returned."""


class CommandTests(PtraceCase, commands.CommandContract):
    """A command does not notice that it is traced, and its ending is reported."""


class FilterTests(PtraceCase):
    """Filters."""

    def test_names(self) -> None:
        """Only the named calls are counted, in every process, with correct numbers."""
        command = ("sh", "-c", f"{program('storm')} 20; cat /etc/passwd /none")
        expected = {n: c for n, c in strace_counts(*command).items() if n in {"openat", "execve"}}
        outcome = self.trace(*command, trace="openat,execve")
        self.assertEqual(expected, outcome.counts)

    def test_mistake(self) -> None:
        """An unknown name is an error, and nothing is started."""
        ending = self.trace("touch", self.mktemp(), trace="no_such_call").ending
        assert isinstance(ending, Failed)
        self.assertEqual(2, ending.exit_status)

    @unmeasured()
    def test_only_leader(self) -> None:
        """With --no-children, threads are followed and processes are not."""
        outcome = self.trace(program("storm"), "20", follow_children=False)
        self.assertNotIn("getppid", outcome.counts)
        self.assertEqual(1, len(outcome.delta.processes))
        threads = self.trace(program("threads"), follow_children=False)
        self.assertEqual((2000, 0), threads.counts["getppid"])

    def test_filtered_signals(self) -> None:
        """Signals and stops do not disturb a filtered trace."""
        for name in ("group_stop", "restart", "thread_exec", "leader_exit"):
            outcome = self.trace(program(name), trace="kill,read,exit_group")
            code = 3 if name == "leader_exit" else 0
            self.assertEqual(Ended(exit_code=code), outcome.ending)

    def test_continuous_signals(self) -> None:
        """Messages are handled even if only signals stop the target."""
        tracer = self.start(program("signal_storm"), trace="openat")
        tracer.await_start()
        tracer.send(Deliver(signal.SIGTERM))
        self.assertEqual(Ended(exit_signal=signal.SIGTERM), tracer.finish().ending)

    def test_filter_of_target(self) -> None:
        """Calls that the target's own filter refuses are counted, although they skip the tracer."""
        outcome = self.trace(program("refused"), trace="getppid")
        self.assertEqual({"getppid": (3, 3)}, outcome.counts)
        self.assertEqual(Ended(exit_code=0), outcome.ending)
        ended = self.trace(program("refused"), trace="getppid,exit_group").delta.log
        self.assertEqual(["?", "?"], [e.ret for e in ended if e.name == "exit_group"])

    def test_filter_on_tracer(self) -> None:
        """The same holds for a filter on the tracer itself, as in a container."""
        job = RunCommand(("sh", "-c", "exit 0"), options=self.options(trace="getppid"))
        outcome = run(job, prefix=(program("refused"), "getppid"))
        self.assertEqual({"getppid": (1, 1)}, outcome.counts)

    def test_detach_filtered(self) -> None:
        """The calls of a filtered command do not fail after tracing has been stopped."""
        tracer, write_end = self.start_with_pipe(program("busy"), trace="read,write")
        tracer.await_calls("write")
        tracer.send(Detach())
        tracer.receive_all()
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(b"ready\ndone\n", outcome.output)

    def test_status(self) -> None:
        """Calls are selected by their result."""
        command = ("cat", "/none")
        everything = self.trace(*command).counts
        failed = self.trace(*command, status="failed")
        succeeded = self.trace(*command, status="successful")
        self.assertEqual({n: (e, e) for n, (c, e) in everything.items() if e}, failed.counts)
        well = {n: (c - e, 0) for n, (c, e) in everything.items() if c > e}
        self.assertEqual(well, succeeded.counts)
        # A call that never returns has neither failed nor succeeded.
        for outcome in (failed, succeeded):
            self.assertNotIn("exit_group", {entry.name for entry in outcome.delta.log})

    def test_paths(self) -> None:
        """Calls are selected by path, given by name or by descriptor."""
        outcome = self.trace("cat", "/etc/passwd", paths=("/etc/passwd",))
        names = {name for name in outcome.counts if name not in {"fadvise64", "newfstatat", "mmap"}}
        self.assertEqual({"openat", "read", "close"}, names)


class RecordTests(PtraceCase):
    """The log."""

    def test_arguments(self) -> None:
        """Arguments are formatted as in strace, and opened paths are counted."""
        outcome = self.trace("cat", "/none")
        shown = [(e.args, e.ret, e.error) for e in outcome.delta.log if e.name == "openat"]
        self.assertIn(('AT_FDCWD, "/none", O_RDONLY', "-1", "ENOENT"), shown)
        self.assertEqual(1, outcome.delta.paths["/none"])
        self.assertEqual(1, outcome.delta.failed_paths["/none"])
        (library,) = (path for path in outcome.delta.paths if path.endswith("/libc.so.6"))
        self.assertNotIn(library, outcome.delta.failed_paths)
        self.assertIn("ENOENT", {sample.errno for sample in outcome.delta.failures["openat"]})

    def test_budget(self) -> None:
        """Calls beyond the quota of the log are counted in the ledger."""
        outcome = self.trace(program("threads"), log_rate=0)
        self.assertEqual((), tuple(e for e in outcome.delta.log if e.ret != "?"))
        total = sum(count for count, _ in outcome.counts.values())
        self.assertEqual(total, outcome.delta.ledger.sampled_entries)
        self.assertEqual(50, len(outcome.delta.failures["close"]))

    def test_blind(self) -> None:
        """With --no-args nothing is read from the target."""
        outcome = self.trace("cat", "/none", read_arguments=False)
        self.assertNotIn("/none", repr(outcome.messages[1:]).replace("cat /none", ""))

    def test_redaction(self) -> None:
        """Masked text appears neither in arguments nor in names."""
        outcome = self.trace("sh", "-c", "cat /none/hunter22; true", redact=(r"hunter\d+",))
        self.assertNotIn("hunter22", repr(outcome.messages))
        self.assertIn("[redacted]", repr(outcome.messages))

    def test_debug(self) -> None:
        """--debug prints every stop and the number of stops of each kind."""
        errors = self.trace("true", debug=True).errors.decode()
        self.assertIn("system call", errors)
        self.assertIn("exited 0", errors)
