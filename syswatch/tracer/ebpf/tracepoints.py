"""Which of the kernel's tracepoints there are, where that depends on its version."""

from functools import cache
from pathlib import Path

_KERNEL_TYPES = Path("/sys/kernel/btf/vmlinux")
_PREPARE_EXEC = b"btf_trace_sched_prepare_exec\0"


@cache
def can_see_execve() -> bool:
    """Return whether this kernel tells when execve has read its arguments: since Linux 6.10."""
    return _PREPARE_EXEC in _KERNEL_TYPES.read_bytes()
