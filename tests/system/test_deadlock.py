"""Tests of a program whose threads are deadlocked: what is said of it, and how its trace ends."""

import os
import signal
import sys
from typing import Any, ClassVar

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, SYSWATCH, Server, is_running, running, wait_for
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

# Two threads that each hold the lock that the other one waits for.  Its first SIGINT ends only the
# main thread, and the interpreter then waits for the others.
_DEADLOCK = """
import threading
locks = [threading.Lock(), threading.Lock()]
both_hold_one = threading.Barrier(2)
def run(first, second):
    with locks[first]:
        both_hold_one.wait()
        locks[second].acquire()
threads = [threading.Thread(target=run, args=order) for order in ((0, 1), (1, 0))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
# Two that wait for a lock, and the main thread, which waits for one of them.
_THREADS = 3


class DeadlockTests(SynchronousTestCase):
    """A deadlocked program, traced with ptrace."""

    backend: ClassVar[str] = "ptrace"

    def setUp(self) -> None:
        """Skip the test if tracing is not allowed."""
        require_tracing()

    def command_of(self, server: Server) -> int:
        """Return the process ID of the command; kill it at the end of the test."""
        pid: int = wait_for(lambda: server.json("/api/status")["Proc"]["PID"])
        self.addCleanup(_kill, pid)
        return pid

    def test_deadlock(self) -> None:
        """The first line and the alerts name the locks; a second SIGINT stops tracing."""
        python = (sys.executable, "-I", "-S", "-c", _DEADLOCK)
        tracing = (*SYSWATCH, "run", "--backend", self.backend, "--serve", ":0", "--summary")
        with running([*tracing, "--", *python], start_new_session=True) as server:
            command = self.command_of(server)
            for alert in wait_for(lambda: self.alerts(server)):
                self.assertRegex(alert["Title"], r"locked for .* in futex on futex .*0x")
            verdict = server.json("/api/time")["Verdict"]
            self.assertRegex(verdict, r"for other threads \(futex …[0-9a-f]{4}( in |\))")
            server.process.send_signal(signal.SIGINT)
            server.read_until("the command is still running after SIGINT")
            server.process.send_signal(signal.SIGINT)
            server.read_until("detached; the command is still running")
            self.assertEqual(0, server.process.wait(PATIENCE_S))
            self.assertTrue(is_running(command))

    def alerts(self, server: Server) -> list[dict[str, Any]]:
        """Return the alerts on threads that are blocked, when there is one for each thread."""
        blocked = [each for each in server.json("/api/alerts") if each["Kind"] == "blocked"]
        return blocked if len(blocked) == _THREADS else []


class EbpfDeadlockTests(DeadlockTests):
    """The same with eBPF."""

    backend = "ebpf"

    def setUp(self) -> None:
        """Skip the test if eBPF is not usable."""
        require_ebpf()


def _kill(pid: int) -> None:
    if is_running(pid):
        os.kill(pid, signal.SIGKILL)
