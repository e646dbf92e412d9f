"""Which backend traces: the one that was asked for, or the best that is allowed here."""

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import ebpf_verdict
from syswatch.model.messages import TraceOptions

EBPF = "ebpf"
PTRACE = "ptrace"
# What every process of the machine pays while the program is attached.
_COST = "while it runs, every process of this machine pays about 0.2 µs for each system call"


class UnsupportedError(Exception):
    """The backend that was asked for cannot do this; the message is one sentence for the user."""


def choose(options: TraceOptions) -> tuple[str, str]:
    """Return a backend, and what to tell the user about it."""
    if options.backend == PTRACE:
        return PTRACE, ""
    lacking = _beyond_ebpf(options)
    if options.backend == EBPF:
        if lacking:
            raise UnsupportedError(f"the eBPF backend does not support {lacking}; use ptrace")
        return EBPF, f"backend ebpf, as asked for; {_COST}"
    if lacking:
        return PTRACE, f"backend ptrace, because {lacking} needs it"
    verdict = ebpf_verdict(read_facts(traceme=lambda: 0))
    if not verdict.usable:
        return PTRACE, f"backend ptrace, because eBPF is not usable: {verdict.why}"
    return EBPF, f"backend ebpf, because it is allowed here; {_COST}"


def _beyond_ebpf(options: TraceOptions) -> str:
    """Return what the program in the kernel cannot do of what is wanted."""
    if options.paths:
        return "selecting calls by path (-P)"
    if options.descriptor_paths:
        return "showing the paths of descriptors (-y)"
    if options.per_process:
        return "a table for each process (--per-pid)"
    return ""
