"""Tests that the time of a thread without a CPU is what the kernel's scheduler has counted."""

import os
import subprocess
from pathlib import Path
from typing import ClassVar, NamedTuple

from syswatch.model.delta import Delta
from syswatch.model.threads import ThreadTimes
from tests.system.servers import is_waiting, wait_for
from tests.tracer.harness import Tracer
from tests.tracer.programs import program

from .case import BackendCase

_PERCENT = 100


class Scheduled(NamedTuple):
    """What the kernel has counted for a thread."""

    run_ns: int
    delay_ns: int
    voluntary: int


def scheduled(pid: int, tid: int) -> Scheduled:
    """Return what the kernel has counted for a thread until now."""
    folder = Path(f"/proc/{pid}/task/{tid}")
    run_ns, delay_ns, _ = (folder / "schedstat").read_text().split()
    lines = (line.partition(":\t") for line in (folder / "status").read_text().splitlines())
    status = {name: value for name, _, value in lines}
    return Scheduled(int(run_ns), int(delay_ns), int(status["voluntary_ctxt_switches"]))


def reported(tracer: Tracer, tid: int, after_ns: int) -> tuple[ThreadTimes, int]:
    """Wait until a thread is reported in a later read; return its time, and when that began."""
    while True:
        whole = Delta()
        for message in tracer.messages:
            if isinstance(message, Delta):
                whole += message
                now = message.now.threads.get(tid)
                if now and now.call == "read" and now.waits and (now.since_ns or 0) > after_ns:
                    return whole.threads[tid].times, now.since_ns or 0
        if not tracer.receive():
            raise AssertionError(f"the tracer ended before thread {tid} waited")


class SchedulingContract(BackendCase):
    """Two threads that have one CPU."""

    # How often the tracer stops a thread for each call.
    stops: ClassVar[int] = 0

    def test_ready(self) -> None:
        """The time that a thread was ready is its run delay, and its CPU time is its own code."""
        pipe = subprocess.PIPE
        process = subprocess.Popen([program("contended")], stdin=pipe, stdout=pipe)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        assert process.stdin is not None
        assert process.stdout is not None
        pid, tid = process.pid, int(process.stdout.readline())
        wait_for(lambda: is_waiting(pid) and is_waiting(tid))
        tracer = self.attach_to(pid)
        first, since_ns = reported(tracer, tid, -1)
        before = scheduled(pid, tid)
        # One for each thread.
        os.write(process.stdin.fileno(), b"xx")
        wait_for(lambda: scheduled(pid, tid).run_ns > 2 * before.run_ns and is_waiting(tid))
        after = scheduled(pid, tid)
        last, _ = reported(tracer, tid, since_ns)

        wall_ns = last.wall_ns - first.wall_ns
        # Stops cause run delay as well, and a tracer that stops threads may take it for theirs.
        stopped_ns = last.stopped_ns - first.stopped_ns if self.stops else 0
        self.assertApproximates(
            after.delay_ns - before.delay_ns,
            last.ready_ns - first.ready_ns,
            wall_ns // _PERCENT + stopped_ns,
        )
        self.assertApproximates(
            after.run_ns - before.run_ns,
            last.user_ns + last.working_ns - first.user_ns - first.working_ns,
            wall_ns // _PERCENT,
        )
        # A stop may be over before the thread leaves the CPU.
        switches = after.voluntary - before.voluntary
        self.assertIn(switches, range(1, 1 + 2 * self.stops + 1))
        process.communicate()
        self.assertEqual(42, process.returncode)
        tracer.finish()
