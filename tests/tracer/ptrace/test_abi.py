"""Tests of the constants of ptrace(2)."""

from ptrace.binding import func
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ptrace import abi


class ConstantTests(SynchronousTestCase):
    """The numbers of requests, options and flags."""

    def test_constants(self) -> None:
        """They are those of python-ptrace."""
        self.assertEqual(func.THREAD_TRACE_FLAGS, abi.WALL)
        known = {name: value for name, value in vars(func).items() if name.startswith("PTRACE_")}
        requests = {name for name in vars(abi) if name.startswith("PTRACE_")} & known.keys()
        self.assertLessEqual({"PTRACE_CONT", "PTRACE_DETACH", "PTRACE_SYSCALL"}, requests)
        for name in requests:
            self.assertEqual(known[name], getattr(abi, name), name)
        options = [name for name in vars(abi) if f"PTRACE_{name}" in known and name[:2] == "O_"]
        self.assertLessEqual({"O_TRACECLONE", "O_TRACEEXEC", "O_TRACESYSGOOD"}, set(options))
        for name in options:
            self.assertEqual(known[f"PTRACE_{name}"], getattr(abi, name), name)
