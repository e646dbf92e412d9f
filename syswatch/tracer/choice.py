"""Which backend traces: the one that was asked for, or the best that is allowed here."""

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import ebpf_verdict
from syswatch.model.messages import Attach, RunCommand

EBPF = "ebpf"
PTRACE = "ptrace"
# What every process of the machine pays while the program is attached.
_COST = "while it runs, every process of this machine pays about 0.2 µs for each system call"


class UnsupportedError(Exception):
    """The only backend that may be taken cannot do this; the message is for the user."""


def choose(job: RunCommand | Attach) -> tuple[str, str]:
    """Return a backend, and what to tell the user about it."""
    asked_for, needed_for = job.options.backend, _beyond_ptrace(job)
    if asked_for == PTRACE:
        if needed_for:
            raise UnsupportedError(f"the ptrace backend does not support {needed_for}; use ebpf")
        return PTRACE, ""
    if asked_for == EBPF or needed_for:
        because = "as asked for" if asked_for == EBPF else f"because {needed_for} needs it"
        return EBPF, f"backend ebpf, {because}; {_COST}"
    verdict = ebpf_verdict(read_facts(traceme=lambda: 0))
    if not verdict.usable:
        return PTRACE, f"backend ptrace, because eBPF is not usable: {verdict.why}"
    return EBPF, f"backend ebpf, because it is allowed here; {_COST}"


def replace_ebpf(job: RunCommand | Attach, refusal: Exception) -> str:
    """Return what to tell the user when ptrace is taken after all, if it can do what is wanted."""
    if job.options.backend == EBPF or _beyond_ptrace(job):
        raise UnsupportedError(str(refusal))
    return f"backend ptrace, because {refusal}"


def _beyond_ptrace(job: RunCommand | Attach) -> str:
    """Return what cannot be done by stopping a process of what is wanted."""
    if job.options.mode == "counts":
        return "counting ends only (--mode counts)"
    if isinstance(job, Attach) and job.group:
        return "tracing a control group (--cgroup)"
    if isinstance(job, Attach) and job.everybody:
        return "tracing the whole machine (--all)"
    return ""
