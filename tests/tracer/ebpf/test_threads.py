"""Tests of the wall time of threads: while they run, and when they have ended."""

import os
import time
from pathlib import Path

from syswatch.model.delta import Delta
from syswatch.model.now import Doing, ThreadNow
from tests.tracer.contract.targets import Target
from tests.tracer.harness import Tracer
from tests.tracer.programs import program

from .case import EbpfCase

_MS = 1_000_000


class BlockedTests(EbpfCase):
    """A thread that is blocked from the beginning on."""

    def await_now(self, tracer: Tracer, pid: int) -> Delta:
        """Receive until a thread is reported in a call with arguments; return the delta."""
        while True:
            for message in tracer._messages:
                if isinstance(message, Delta) and message.now.threads.get(pid):
                    thread = message.now.threads[pid]
                    if thread.call == "read" and thread.args.startswith("0, "):
                        return message
            self.assertTrue(tracer.receive(), "the tracer has ended")

    def test_reads(self) -> None:
        """It is shown with its object, and its waiting is counted while it lasts."""
        tracer, write_end = self.start_with_pipe("cat")
        pid = tracer.await_start().process.pid
        delta = self.await_now(tracer, pid)
        thread = delta.now.threads[pid]
        self.assertEqual((pid, "cat", Doing.IN_CALL), (thread.pid, thread.comm, thread.doing))
        self.assertTrue(thread.waits)
        assert thread.since_ns is not None
        self.assertGreater(delta.now.at_ns, thread.since_ns)
        waited = self.waited(tracer, pid, thread)
        while self.waited(tracer, pid, thread) <= waited:
            self.assertTrue(tracer.receive())
        os.close(write_end)
        outcome = tracer.finish()
        info = outcome.delta.objects[thread.object]
        self.assertEqual("pipe", info.kind.value)
        self.assertIn(pid, info.pids)
        tally = outcome.delta.threads[pid]
        # Not twice: once in progress, and again when it has ended.
        read = sum(row.waiting_ns for key, row in outcome.delta.activity.items() if key.tid == pid)
        self.assertEqual(read, tally.times.waiting_ns)
        self.assertEqual({}, outcome.delta.now.threads)

    def waited(self, tracer: Tracer, pid: int, thread: ThreadNow) -> int:
        """Return how long it has waited for an object according to all deltas so far."""
        return sum(
            spent_ns
            for message in tracer._messages
            if isinstance(message, Delta) and pid in message.threads
            for wait, spent_ns in message.threads[pid].times.waiting.items()
            if wait == (thread.object, "read")
        )

    def test_attached(self) -> None:
        """A call that began before the trace is shown and counted from then on."""
        target = Target.begin(program("budget"))
        self.addCleanup(target.process.kill)
        self.await_read(target)
        tracer = self.attach_to(target.pid)
        # The first delta, which may be late, has the times of threads, but not yet what they do.
        while not any(
            delta.threads[target.pid].times.waiting_ns > 100 * _MS
            for delta in [sum_of(tracer)]
            if target.pid in delta.threads and delta.now.at_ns
        ):
            self.assertTrue(tracer.receive())
        thread = sum_of(tracer).now.threads[target.pid]
        self.assertEqual((Doing.IN_CALL, "read"), (thread.doing, thread.call))
        self.assertEqual("pipe", sum_of(tracer).objects[thread.object].kind.value)
        waited_ns = thread_waiting(sum_of(tracer), target.pid)
        self.assertEqual(42, target.end())
        delta = tracer.finish().delta
        self.assertEqual(1, delta.ledger.untimed_calls)
        self.assertGreaterEqual(thread_waiting(delta, target.pid), waited_ns)

    def await_read(self, target: Target) -> None:
        """Wait until a program waits for its input."""
        while not Path(f"/proc/{target.pid}/syscall").read_text().startswith("0 "):
            os.sched_yield()


def thread_waiting(delta: Delta, pid: int) -> int:
    """Return how long a thread has waited for its input."""
    waits = delta.threads[pid].times.waiting.items()
    return sum(spent_ns for wait, spent_ns in waits if wait.call == "read")


def sum_of(tracer: Tracer) -> Delta:
    """Return the sum of the deltas so far."""
    whole = Delta()
    for message in tracer._messages:
        if isinstance(message, Delta):
            whole += message
    return whole


class BudgetTests(EbpfCase):
    """The parts explain the wall time."""

    def test_parts(self) -> None:
        """They are what the kernel has measured, within 1 %."""
        target = Target.begin(program("budget"))
        self.addCleanup(target.process.kill)
        trace = self.prepare()
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        before = self.schedule(target.pid)
        trace.following.begin()
        target.process.stdin.write(b"x")  # type: ignore[union-attr]
        target.process.stdin.flush()  # type: ignore[union-attr]
        whole = Delta()
        os.set_blocking(target.output.fileno(), False)
        while not target.output.readline():
            whole += trace.reader.read(everything=False)
            time.sleep(0.01)
        while "S (sleeping)" not in target.status("State"):
            os.sched_yield()
        after = self.schedule(target.pid)
        whole += trace.reader.read(everything=True)
        (record,) = trace.reader.details.thread_records.read()  # type: ignore[union-attr]
        times = whole.threads[target.pid].times
        cpu_ns, delay_ns, voluntary = (now - then for now, then in zip(after, before, strict=True))
        # The kernel does not count interrupts, and what the machine below takes, as CPU time.
        self.assertGreaterEqual(times.user_ns + times.working_ns, cpu_ns - times.wall_ns // 100)
        elapsed_ns = record.seen_ns - record.born_ns
        self.assertApproximates(times.wall_ns, elapsed_ns, elapsed_ns // 100)
        self.assertApproximates(delay_ns, times.ready_ns, times.wall_ns // 100)
        self.assertEqual(voluntary, record.voluntary)
        bins = [bin_[target.pid].wall_ns for bin_ in whole.timeline.bins.values()]
        self.assertApproximates(elapsed_ns, sum(bins), elapsed_ns // 100)
        self.assertLessEqual(max(bins), 11 * _MS)
        self.assertEqual(42, target.end())

    def schedule(self, pid: int) -> tuple[int, int, int]:
        """Return CPU time, run delay and voluntary switches."""
        cpu_ns, delay_ns, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
        switches = dict(line.split(":\t") for line in status if ":\t" in line)
        return int(cpu_ns), int(delay_ns), int(switches["voluntary_ctxt_switches"])
