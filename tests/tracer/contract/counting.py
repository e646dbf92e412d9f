"""Tests that counts and errors are those of `strace -c -f`."""

import platform
import signal
from unittest import skipUnless

from syswatch.model.messages import Ended
from tests.tracer.harness import Outcome
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing, strace_counts
from tests.unmeasured import unmeasured

from .case import BackendCase


class CountContract(BackendCase):
    """The same programs under the tracer and under strace."""

    def setUp(self) -> None:
        """Skip the test if strace is not available."""
        super().setUp()
        require_tracing()

    def assert_like_strace(self, *command: str, but_for: tuple[str, ...] = ()) -> Outcome:
        """Compare a command with itself under strace, except for calls that depend on timing."""
        expected, outcome = strace_counts(*command), self.trace(*command)
        actual = outcome.counts
        for name in but_for:
            expected.pop(name, None)
            actual.pop(name, None)
        self.assertEqual(expected, actual)
        return outcome

    def test_one_process(self) -> None:
        """A program with failing calls."""
        outcome = self.assert_like_strace("ls", "/", "/no-such-folder")
        self.assertEqual(1, len(outcome.delta.processes))
        self.assertTrue(outcome.delta.ledger.is_lossless)

    def test_shortest(self) -> None:
        """A program that exits immediately is counted completely, including its execve."""
        outcome = self.assert_like_strace("true")
        self.assertEqual(1, outcome.delta.calls["execve"].count)

    @unmeasured()
    def test_threads(self) -> None:
        """200 threads are all followed; the number of futex calls depends on timing."""
        outcome = self.assert_like_strace(program("threads"), but_for=("futex", "madvise"))
        self.assertEqual((2000, 0), outcome.counts["getppid"])
        self.assertEqual({"EBADF": 2000}, dict(outcome.delta.calls["close"].errnos))
        self.assertEqual(1, len(outcome.delta.processes))

    @unmeasured()
    def test_fork_storm(self) -> None:
        """2040 processes are all followed, and each has its own numbers."""
        outcome = self.assert_like_strace(program("storm"), "1700")
        self.assertEqual(2041, len(outcome.delta.processes))
        self.assertEqual(0, outcome.delta.ledger.unfollowed_processes)
        total = sum(tally.count for tally in outcome.delta.calls.values())
        self.assertEqual(total, sum(t.count for t in outcome.delta.processes.values()))

    def test_vfork(self) -> None:
        """A vfork is followed into the program that its child executes."""
        self.assert_like_strace(program("vfork"))

    def test_exec_by_thread(self) -> None:
        """A thread that calls execve becomes the leader."""
        outcome = self.assert_like_strace(program("thread_exec"))
        self.assertEqual(Ended(exit_code=0), outcome.ending)

    def test_leader_ends_first(self) -> None:
        """A process continues after its leader has exited."""
        outcome = self.assert_like_strace(program("leader_exit"))
        self.assertEqual(Ended(exit_code=3), outcome.ending)

    def test_restarts(self) -> None:
        """Interrupted calls have the errors of strace, and the program gets the correct results."""
        looking = ("preadv", "sched_yield")
        outcome = self.assert_like_strace(program("restart"), but_for=looking)
        self.assertEqual(Ended(exit_code=0), outcome.ending)
        self.assertEqual({"ERESTARTSYS": 2}, dict(outcome.delta.calls["read"].errnos))

    @skipUnless(platform.machine() == "x86_64", "only x86-64 has two kinds of calls")
    def test_other_kernel(self) -> None:
        """32-bit calls of a 64-bit program are counted under names of their own."""
        outcome = self.assert_like_strace(program("compat"))
        self.assertEqual((3, 0), outcome.counts["getpid@i386"])
        self.assertEqual((3, 0), outcome.counts["getpid"])
        self.assertNotIn("writev", outcome.counts)

    def test_seccomp(self) -> None:
        """A call that a filter refuses is counted as failed; an end by a filter is reported."""
        outcome = self.assert_like_strace(program("seccomp_killed"))
        self.assertEqual((1, 1), outcome.counts["getppid"])
        self.assertEqual(Ended(exit_signal=signal.SIGSYS), outcome.ending)

    def test_unusual_clones(self) -> None:
        """Children are followed, whatever their exit signal is."""
        outcome = self.assert_like_strace(program("odd_clone"))
        self.assertEqual((3, 0), outcome.counts["getppid"])

    def test_sums(self) -> None:
        """Seconds, processes, histogram and log each add up to the counts."""
        delta = self.trace(program("storm"), "40", log_rate=1_000_000).delta
        total = sum(tally.count for tally in delta.calls.values())
        seconds = delta.window.seconds
        self.assertEqual(total, sum(m.count for s in seconds.values() for m in s.values()))
        self.assertEqual(total, sum(tally.count for tally in delta.processes.values()))
        self.assertEqual(total, sum(tally.timed for tally in delta.calls.values()))
        assert delta.span is not None
        first, last = delta.span.first_ns // 10**9, delta.span.last_ns // 10**9
        self.assertLessEqual(set(seconds), set(range(first, last + 1)))
