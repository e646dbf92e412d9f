"""The same programs under eBPF, under ptrace and under strace: the numbers are the same."""

import platform
import signal
from unittest import skipUnless

from twisted.trial.unittest import TestCase

from syswatch.model.messages import Attach, Ended, Failed, RunCommand, Started, TraceOptions
from tests.tracer.ptrace.harness import Outcome, run
from tests.tracer.ptrace.programs import program
from tests.tracer.ptrace.strace import require_tracing, strace_counts

from .allowed import require_ebpf


def trace(*command: str, backend: str = "ebpf", **options: object) -> Outcome:
    """Run a command under a tracer."""
    return run(RunCommand(argv=command, options=TraceOptions(backend=backend, **options)))  # type: ignore[arg-type]


class CountTests(TestCase):
    """Counts and errors are those of the others."""

    def setUp(self) -> None:
        """Find out first whether all of them are allowed."""
        require_tracing()
        require_ebpf()

    def assert_same(self, *command: str, but_for: tuple[str, ...] = ()) -> Outcome:
        """Compare a command with itself, but for calls that depend on chance."""
        outcome = trace(*command)
        expected = strace_counts(*command)
        others = {"strace": expected, "ptrace": trace(*command, backend="ptrace").counts}
        for who, counts in others.items():
            actual = outcome.counts
            for name in but_for:
                counts.pop(name, None)
                actual.pop(name, None)
            self.assertEqual(counts, actual, who)
        return outcome

    def test_one_process(self) -> None:
        """A program with failing calls."""
        outcome = self.assert_same("ls", "/", "/no-such-folder")
        self.assertEqual(1, len(outcome.delta.processes))
        self.assertTrue(outcome.delta.ledger.clean)

    def test_shortest(self) -> None:
        """A program that ends at once is counted whole, its execve included."""
        self.assertEqual(1, self.assert_same("true").delta.calls["execve"].count)

    def test_threads(self) -> None:
        """200 threads; how often they wait for each other is chance."""
        outcome = self.assert_same(program("threads"), but_for=("futex", "madvise"))
        self.assertEqual((2000, 0), outcome.counts["getppid"])
        self.assertEqual({"EBADF": 2000}, dict(outcome.delta.calls["close"].errnos))
        self.assertEqual(1, len(outcome.delta.processes))

    def test_fork_storm(self) -> None:
        """2400 processes are all followed, and each has its own numbers."""
        outcome = self.assert_same(program("storm"), "2000")
        self.assertEqual(2401, len(outcome.delta.processes))
        total = sum(tally.count for tally in outcome.delta.calls.values())
        self.assertEqual(total, sum(t.count for t in outcome.delta.processes.values()))

    def test_vfork(self) -> None:
        """A vfork, and the program that its child executes."""
        self.assert_same(program("vfork"))

    def test_exec_by_thread(self) -> None:
        """A thread that executes a program takes the leader's place."""
        outcome = self.assert_same(program("thread_exec"))
        self.assertEqual(Ended(exit_code=0), outcome.ending)

    def test_leader_ends_first(self) -> None:
        """A process goes on without its leader."""
        outcome = self.assert_same(program("leader_exit"))
        self.assertEqual(Ended(exit_code=3), outcome.ending)

    def test_restarts(self) -> None:
        """Interrupted calls have the errors of strace."""
        outcome = self.assert_same(program("restart"))
        self.assertEqual({"ERESTARTSYS": 2}, dict(outcome.delta.calls["read"].errnos))

    @skipUnless(platform.machine() == "x86_64", "only x86-64 has two kinds of calls")
    def test_other_kernel(self) -> None:
        """32-bit calls of a 64-bit program are counted under names of their own."""
        outcome = self.assert_same(program("compat"))
        self.assertEqual((3, 0), outcome.counts["getpid@i386"])

    def test_seccomp(self) -> None:
        """A call that a filter refuses counts as failed, without a duration."""
        outcome = self.assert_same(program("seccomp_killed"))
        self.assertEqual((1, 1), outcome.counts["getppid"])
        self.assertEqual(Ended(exit_signal=signal.SIGSYS), outcome.ending)

    def test_filters(self) -> None:
        """Names and endings are selected in the kernel as they are by ptrace."""
        command = ("ls", "/", "/no-such-folder")
        for options in ({"trace": "%file,!stat"}, {"status": "failed"}, {"status": "successful"}):
            one, other = (trace(*command, backend=name, **options) for name in ("ebpf", "ptrace"))
            self.assertEqual(other.counts, one.counts, options)

    def test_paths(self) -> None:
        """The same paths are counted."""
        one, other = (trace("ls", "/", backend=name) for name in ("ebpf", "ptrace"))
        self.assertEqual(dict(other.delta.paths), dict(one.delta.paths))

    def test_arguments(self) -> None:
        """Failures are shown with their paths, and what is to be masked is masked."""
        delta = trace("cat", "/no-such-secret", redact=("secret",)).delta
        shown = [failure.args for failure in delta.failures["openat"]]
        self.assertIn('AT_FDCWD, "/no-such-[redacted]", O_RDONLY', shown)
        self.assertIn("/no-such-[redacted]", delta.paths)
        raw = trace("cat", "/no-such-secret", read_arguments=False).delta
        self.assertEqual({}, dict(raw.paths))
        self.assertNotIn("secret", repr(raw))

    def test_sums(self) -> None:
        """Seconds, processes, histogram and log each add up to the counts."""
        delta = trace(program("storm"), "40", log_rate=1_000_000).delta
        total = sum(tally.count for tally in delta.calls.values())
        seconds = delta.window.seconds.values()
        self.assertEqual(total, sum(m.count for names in seconds for m in names.values()))
        self.assertEqual(total, sum(tally.timed for tally in delta.calls.values()))


class CommandTests(TestCase):
    """A command does not notice that it is traced, and its end is told."""

    def setUp(self) -> None:
        """Find out first."""
        require_ebpf()

    def test_endings(self) -> None:
        """The exit status is told, and the signal that killed the command."""
        self.assertEqual(Ended(exit_code=7), trace("sh", "-c", "exit 7").ending)
        for what, number in (("kill", signal.SIGKILL), ("abort", signal.SIGABRT)):
            self.assertEqual(Ended(exit_signal=number), trace(program("misc"), what).ending)

    def test_clean_state(self) -> None:
        """The command has default signal handlers, none blocked, and no descriptor of ours."""
        for what in ("signals", "descriptors"):
            self.assertEqual(Ended(exit_code=0), trace(program("misc"), what).ending)

    def test_missing(self) -> None:
        """A command that is not there fails as in a shell."""
        ending = trace("no-such-command").ending
        assert isinstance(ending, Failed)
        self.assertEqual(127, ending.exit_status)

    def test_refusals(self) -> None:
        """What only the program in the kernel can do is refused by ptrace, and `auto` takes it."""
        jobs = (
            ("--mode counts", RunCommand(("true",), options=TraceOptions(mode="counts"))),
            ("--cgroup", Attach(group="/no-such-group", options=TraceOptions())),
            ("--all", Attach(everybody=True, options=TraceOptions())),
        )
        for what, job in jobs:
            ending = run(job).ending
            assert isinstance(ending, Failed)
            self.assertIn(f"({what}); use ebpf", ending.message)
        outcome = trace("true", backend="auto", mode="counts")
        started = next(m for m in outcome.messages if isinstance(m, Started))
        self.assertEqual("ebpf", started.backend)
        self.assertIn(b"because counting ends only (--mode counts) needs it", outcome.errors)

    def test_auto(self) -> None:
        """Where eBPF is allowed it is taken, and the user is told what that costs others."""
        outcome = trace("true", backend="auto")
        started = next(m for m in outcome.messages if isinstance(m, Started))
        self.assertEqual("ebpf", started.backend)
        self.assertIn(b"every process of this machine", outcome.errors)
