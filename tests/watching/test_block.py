"""Tests of blocks, with each backend."""

from typing import ClassVar

from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

from . import contract


class EbpfBlockTests(contract.BlockContract):
    """With eBPF."""

    backend: ClassVar[str] = "ebpf"
    require = staticmethod(require_ebpf)


class PtraceBlockTests(contract.BlockContract):
    """With ptrace."""

    backend: ClassVar[str] = "ptrace"
    require = staticmethod(require_tracing)
