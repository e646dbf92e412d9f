"""Tests that need eBPF, and whether it can be used where they run."""

from functools import cache
from typing import ClassVar
from unittest import SkipTest

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import ebpf_verdict
from syswatch.model.messages import RunCommand, TraceOptions
from tests.tracer.contract.case import BackendCase
from tests.tracer.harness import Outcome, run
from tests.tracer.strace import require_tracing


@cache
def require_ebpf() -> None:
    """Skip a test where eBPF is not allowed, and say why."""
    verdict = ebpf_verdict(read_facts(traceme=lambda: 0))
    if not verdict.usable:
        raise SkipTest(f"eBPF is not usable here: {verdict.why}")


class EbpfCase(BackendCase):
    """Traces in the kernel."""

    backend: ClassVar[str] = "ebpf"
    require = staticmethod(require_ebpf)

    def both(self, *command: str, **options: object) -> tuple[Outcome, Outcome]:
        """Trace a command with this backend and with ptrace."""
        require_tracing()
        theirs = TraceOptions(backend="ptrace", **options)  # type: ignore[arg-type]
        return self.trace(*command, **options), run(RunCommand(command, options=theirs))
