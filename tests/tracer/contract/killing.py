"""Tests of calls in which a thread ends: which of them return."""

import signal

from syswatch.model.entries import LogEntry
from tests.tracer.harness import Outcome
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing, strace_counts
from tests.unmeasured import unmeasured

from .case import BackendCase

# The program polls with these whether its threads are blocked; its threads call the last one
# continuously.
_BY_CHANCE = ("close", "fstat", "newfstatat", "openat", "read", "sched_yield", "getppid")


class KillContract(BackendCase):
    """A call that returned is counted, as in `strace -c`; others are only logged."""

    def setUp(self) -> None:
        """Skip the test if strace is not available."""
        super().setUp()
        require_tracing()

    def kill(self, how: str, number: int, **options: object) -> Outcome:
        """Trace a program that is killed, and compare its calls with strace."""
        command = (program("killed", "-w"), how, str(int(number)))
        chosen = f"!{','.join(_BY_CHANCE)}"
        expected, outcome = strace_counts(*command), self.trace(*command, trace=chosen, **options)
        for name in _BY_CHANCE:
            expected.pop(name, None)
        self.assertEqual(expected, outcome.counts, f"{how} {number}")
        return outcome

    def test_killed(self) -> None:
        """SIGKILL ends the call in which a process waits, and the call that sends it to itself."""
        for how, name in (("blocked", "pause"), ("itself", "kill"), ("thread", "tgkill")):
            outcome = self.kill(how, signal.SIGKILL)
            self.assertNotIn(name, outcome.counts)
            (entry,) = _shown(outcome, name)
            self.assertEqual(("?", ""), (entry.ret, entry.error), how)
            self.assertEqual(how != "blocked", entry.args.endswith("SIGKILL"))

    @unmeasured()
    def test_fatal_signals(self) -> None:
        """A call that is ended by another fatal signal, or that has sent it, returns."""
        for number in (signal.SIGTERM, signal.SIGRTMIN, signal.SIGABRT):
            outcome = self.kill("blocked", number)
            self.assertEqual({"ERESTARTNOHAND": 1}, dict(outcome.delta.calls["pause"].errnos))
            self.assertEqual((1, 0), self.kill("itself", number).counts["kill"])
            self.assertEqual((1, 0), self.kill("thread", number).counts["tgkill"])

    def test_pipe(self) -> None:
        """A writer to a pipe without readers is killed after its call has failed."""
        outcome = self.kill("write", 0)
        self.assertEqual({"EPIPE": 1}, dict(outcome.delta.calls["write"].errnos))

    @unmeasured()
    def test_threads(self) -> None:
        """The calls of the other threads do not return, however their process ends."""
        for number in (0, signal.SIGKILL, signal.SIGTERM):
            outcome = self.kill("threads", number)
            self.assertNotIn("pause", outcome.counts)
            self.assertEqual(["?"] * 4, [entry.ret for entry in _shown(outcome, "pause")])

    def test_busy_threads(self) -> None:
        """Threads that make calls continuously do not change this."""
        # Under ptrace it is chance which of them handles a signal that is not SIGKILL.
        for number in (0, signal.SIGKILL):
            self.kill("busy", number)


def _shown(outcome: Outcome, name: str) -> list[LogEntry]:
    return [entry for entry in outcome.delta.log if entry.name == name]
