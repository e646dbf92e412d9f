"""Tests with real programs: compilers, interpreters, a server."""

from syswatch.model.messages import Ended

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import abis, accounting, building, executing, reporting, reusing, serving

from .case import PtraceCase


class TreeTests(PtraceCase, building.TreeContract):
    """Programs that start programs."""


class ExecutionTests(PtraceCase, executing.ExecutionContract):
    """Programs that are executed by paths that are not in memory."""


class ServerTests(PtraceCase, serving.ServerContract):
    """nginx under load."""


class ReuseTests(PtraceCase, reusing.ReuseContract):
    """PIDs that are reused."""

    def test_command(self) -> None:
        """A process that reuses the PID of the command is not taken for the command."""
        outcome = self.trace_apart("command")
        self.assertEqual(Ended(exit_code=3), outcome.ending)
        self.assertIn(
            (2, "exited with 2"), {(t.lives, t.ending) for t in outcome.delta.processes.values()}
        )


class AbiTests(PtraceCase, abis.AbiContract):
    """32-bit and x32 programs."""


class Wait32Tests(PtraceCase, abis.Wait32Contract):
    """32-bit programs that wait."""


class AccountingTests(PtraceCase, accounting.AccountingContract):
    """Programs that read and write what the kernel counts."""


class ReportTests(PtraceCase, reporting.ReportContract):
    """Reports on request."""
