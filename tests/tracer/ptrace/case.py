"""Tests that need ptrace."""

from typing import ClassVar

from tests.tracer.contract.case import BackendCase
from tests.tracer.strace import require_tracing


class PtraceCase(BackendCase):
    """Traces with ptrace."""

    backend: ClassVar[str] = "ptrace"
    require = staticmethod(require_tracing)
