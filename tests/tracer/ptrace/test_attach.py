"""Tests of attaching with ptrace, beyond the contract of all backends."""

import os
import signal

from syswatch.model.messages import Attach, Detach, Failed

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import attaching
from tests.tracer.harness import start

from .case import PtraceCase


class AttachTests(PtraceCase, attaching.AttachContract):
    """Attaching and detaching."""

    def test_affinity_restored(self) -> None:
        """A detached target has the CPU affinity that it had before."""
        target = self.target("with a thread")
        before = os.sched_getaffinity(target.pid)
        for goodbye in (signal.SIGTERM, signal.SIGKILL):
            tracer = self.attach_to(target.pid)
            tracer.await_calls("getppid", 5000)
            tracer.process.send_signal(goodbye)
            tracer.finish()
            # If the tracer is killed, the guard process restores it, a little later.
            while os.sched_getaffinity(target.pid) != before:
                os.sched_yield()
        self.assertEqual(42, target.end())

    def test_already_traced(self) -> None:
        """The error names the other tracer."""
        target = self.target()
        tracer = self.attach_to(target.pid)
        said = self.refusal(target.pid)
        self.assertIn(f"process {tracer.process.pid} traces it already", said)
        tracer.send(Detach())
        tracer.finish()

    def test_impossible_pid(self) -> None:
        """A PID that no process can have is refused like any other."""
        tracer = start(Attach((1 << 22,), options=self.options()))
        self.assertIsInstance(tracer.finish().ending, Failed)
