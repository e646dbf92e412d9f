"""Tests of what the tracer imports."""

import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

_MODULES = """
import sys
from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.ptrace.backend import PtraceBackend

options = TraceOptions(objects=sys.argv[1] == "objects")
job = RunCommand(("true",), options=options)
PtraceBackend(Context(job, Outbox(sys.stdout.fileno()), Control(sys.stdin.fileno()))).prepare()
print(*sys.modules)
"""


class ImportTests(SynchronousTestCase):
    """Starting a tracer takes longer with each module."""

    def modules(self, what: str) -> set[str]:
        """Return the modules that a tracer has imported before it begins."""
        command = [sys.executable, "-c", _MODULES, what]
        done = subprocess.run(command, check=True, capture_output=True, stdin=subprocess.PIPE)
        return set(done.stdout.decode().split())

    def test_objects(self) -> None:
        """What follows objects is imported only if they are followed."""
        descriptors = "syswatch.tracer.objects.descriptors"
        self.assertIn(descriptors, self.modules("objects"))
        without = self.modules("nothing")
        self.assertNotIn(descriptors, without)
        self.assertNotIn("syswatch.tracer.ptrace.activity", without)
        self.assertNotIn("syswatch.tracer.ptrace.evidence", without)

    def test_bindings(self) -> None:
        """The bindings of python-ptrace, which start a process, are not imported."""
        self.assertNotIn("ptrace", self.modules("objects"))
