"""Tests of calls that began before their thread was attached to, and return without a restart."""

import os
import tempfile

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey
from syswatch.model.catalog import names
from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.naming import machine
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.ptrace.backend import PtraceBackend
from syswatch.tracer.ptrace.calls import RUNS, Return
from syswatch.tracer.ptrace.loop import Loop

ARCHITECTURE = RUNS[machine()][0]
READ = {name: number for number, name in names(machine()).items()}["read"]
BYTES = 5


class InterruptedTests(SynchronousTestCase):
    """The exit of such a call is reported without its entry."""

    def loop(self, *, objects: bool) -> Loop:
        """Return a loop that traces every call and never flushes."""
        control_fd, outbox_fd = os.pipe()
        for descriptor in (control_fd, outbox_fd):
            self.addCleanup(os.close, descriptor)
        options = TraceOptions(colocate=False, objects=objects)
        context = Context(
            RunCommand(("true",), options=options), Outbox(outbox_fd), Control(control_fd)
        )
        backend = PtraceBackend(context)
        backend.prepare()
        backend._loop.recorder.start()
        return backend._loop

    def test_object(self) -> None:
        """It is credited to its object with its bytes, and logged with its arguments."""
        with tempfile.NamedTemporaryFile() as file:
            for objects in (True, False):
                loop, pid = self.loop(objects=objects), os.getpid()
                thread = loop.lifecycle.begin(pid)
                thread.interrupted, thread.arguments = READ, (file.fileno(), 0, 100, 0, 0, 0)
                loop.observer.finish_unknown(thread, ARCHITECTURE, Return(BYTES, failed=False))
                delta = loop.recorder.finish()
                self.assertEqual(1, delta.calls["read"].count)
                self.assertEqual(f"{file.fileno()}, NULL, 100", delta.log[0].args)
                found = [each for each, info in delta.objects.items() if info.name == file.name]
                self.assertEqual(int(objects), len(found))
                for number in found:
                    row = delta.activity[ActivityKey(pid, pid, number, "read")]
                    self.assertEqual((1, BYTES), (row.count, row.bytes_in))
