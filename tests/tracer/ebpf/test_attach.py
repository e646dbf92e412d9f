"""Tests of attaching with eBPF, which never stops a process."""

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import attaching

from .case import EbpfCase


class AttachTests(EbpfCase, attaching.AttachContract):
    """Attaching and detaching."""

    def test_no_tracer_pid(self) -> None:
        """A process that is traced with eBPF has no TracerPid."""
        target = self.target()
        tracer = self.attach_to(target.pid)
        tracer.await_calls("getppid")
        self.assertEqual("0", target.status("TracerPid"))
        tracer.close_control()
        tracer.finish()
        self.assertEqual(42, target.end())
