"""What is special about attaching with ptrace."""

import os
import signal

from syswatch.model.messages import Attach, Detach, Failed

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import attaching
from tests.tracer.harness import start

from .case import PtraceCase


class AttachTests(PtraceCase, attaching.AttachContract):
    """Attaching and letting go."""

    def test_cpus_given_back(self) -> None:
        """A target that was let go may use the CPUs that it could before."""
        target = self.target("with a thread")
        before = os.sched_getaffinity(target.pid)
        for goodbye in (signal.SIGTERM, signal.SIGKILL):
            tracer = self.attach_to(target.pid)
            tracer.await_calls("getppid", 5000)
            tracer.process.send_signal(goodbye)
            tracer.finish()
            # After a violent death a guard does it, a moment later.
            while os.sched_getaffinity(target.pid) != before:
                os.sched_yield()
        self.assertEqual(42, target.end())

    def test_traced_already(self) -> None:
        """The other tracer is named."""
        target = self.target()
        tracer = self.attach_to(target.pid)
        said = self.refusal(target.pid)
        self.assertIn(f"process {tracer.process.pid} traces it already", said)
        tracer.tell(Detach())
        tracer.finish()

    def test_impossible_pid(self) -> None:
        """A pid that no process can have is refused like any other."""
        tracer = start(Attach((1 << 22,), options=self.options()))
        self.assertIsInstance(tracer.finish().ending, Failed)
