"""Tests with real programs: compilers, interpreters, a server."""

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import abis, accounting, building, executing, reporting, reusing, serving

from .case import EbpfCase


class TreeTests(EbpfCase, building.TreeContract):
    """Programs that start programs."""


class ExecutionTests(EbpfCase, executing.ExecutionContract):
    """Programs that are executed by paths that are not in memory."""


class ServerTests(EbpfCase, serving.ServerContract):
    """nginx under load."""


class ReuseTests(EbpfCase, reusing.ReuseContract):
    """PIDs that are reused."""


class AbiTests(EbpfCase, abis.AbiContract):
    """32-bit programs."""


class Wait32Tests(EbpfCase, abis.Wait32Contract):
    """32-bit programs that wait."""


class AccountingTests(EbpfCase, accounting.AccountingContract):
    """Programs that read and write what the kernel counts."""


class ReportTests(EbpfCase, reporting.ReportContract):
    """Reports on request."""
