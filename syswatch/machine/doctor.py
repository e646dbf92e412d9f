"""What can be done on a machine with these facts, why not, and what would change that."""

import errno
import re

import attrs

from .capabilities import Facts, Target
from .remedies import at_next_boot, for_capabilities, for_ptrace_scope

# Yama's modes, in the words of its documentation.
_ANY_OWN, _DESCENDANTS, _PRIVILEGED, _NOBODY = range(4)
_TASK_STORAGE = (5, 12)
_PTRACE = frozenset({"CAP_SYS_PTRACE"})
_BPF = frozenset({"CAP_BPF", "CAP_PERFMON"})
_ADMIN = "CAP_SYS_ADMIN"


@attrs.frozen
class Verdict:
    """Whether a way of tracing works here; every remedy is a line to type or to paste."""

    name: str
    usable: bool
    why: str
    remedies: tuple[str, ...] = ()


def diagnose(facts: Facts) -> tuple[Verdict, ...]:
    """Return a verdict for each way of tracing."""
    return (_run(facts), _attach(facts), _ebpf(facts))


def explain_ptrace_denied(pid: int | None, facts: Facts, target: Target | None = None) -> str:
    """Return why a process may not be traced and what helps; None is a command to be started."""
    if pid is None:
        return _sentences("the command cannot be traced", _run(facts))
    if target is not None and target.tracer_pid:
        return (
            f"process {pid} ({target.name}) is traced by process {target.tracer_pid} already, "
            "and the kernel allows one tracer; end that one first."
        )
    if target is not None and target.kernel_thread:
        return f"process {pid} ({target.name}) is a thread of the kernel, which nobody can trace."
    verdict = _attach(facts)
    why = _beyond_reach(facts, target) if verdict.usable else ""
    if why:
        remedies = for_capabilities(facts, _PTRACE)
        verdict = Verdict(verdict.name, usable=False, why=why, remedies=remedies)
    return _sentences(f"process {pid} may not be traced", verdict)


def ebpf_verdict(facts: Facts) -> Verdict:
    """Return whether eBPF can be used here."""
    return _ebpf(facts)


def explain_ebpf_denied(facts: Facts) -> str:
    """Return why eBPF cannot be used here, and what helps."""
    verdict = _ebpf(facts)
    if verdict.usable and facts.seccomp:
        return "eBPF cannot be used: the kernel refused, and the seccomp filter here may be why."
    return _sentences("eBPF cannot be used", verdict)


def _beyond_reach(facts: Facts, target: Target | None) -> str:
    """Return why a process is refused on a machine that allows some; nothing if it is a riddle."""
    if _has(facts, _PTRACE):
        return ""
    if target is not None and target.uid != facts.uid:
        return f"it belongs to uid {target.uid}, this is uid {facts.uid} without CAP_SYS_PTRACE"
    if facts.container:
        return f"it may have more privileges than this {facts.container} container has"
    return ""


def _sentences(what: str, verdict: Verdict) -> str:
    if verdict.usable:
        return f"{what}: the kernel refused, and a security module such as AppArmor may be why."
    help_text = f" What helps: {verdict.remedies[0]}" if verdict.remedies else ""
    return f"{what}: {verdict.why}.{help_text}"


def _run(facts: Facts) -> Verdict:
    name = "ptrace, run"
    if facts.ptrace_scope == _NOBODY:
        why = "kernel.yama.ptrace_scope is 3, so nobody may trace until the next boot"
        return Verdict(name, usable=False, why=why, remedies=at_next_boot(_DESCENDANTS))
    if facts.ptrace_scope == _PRIVILEGED and not _has(facts, _PTRACE):
        why = "kernel.yama.ptrace_scope is 2, so tracing needs CAP_SYS_PTRACE"
        remedies = (*for_ptrace_scope(_DESCENDANTS), *for_capabilities(facts, _PTRACE))
        return Verdict(name, usable=False, why=why, remedies=remedies)
    if facts.traceme_errno:
        return _refused(name, facts)
    return Verdict(name, usable=True, why="any command that you may start")


def _refused(name: str, facts: Facts) -> Verdict:
    """Say why the kernel refused even a child that asked to be traced."""
    code = errno.errorcode.get(facts.traceme_errno, str(facts.traceme_errno))
    if facts.tracer_pid and facts.traceme_errno == errno.EPERM:
        why = f"syswatch is traced itself, with all that it starts, by process {facts.tracer_pid}"
        return Verdict(name, usable=False, why=why)
    if not facts.seccomp:
        why = f"the kernel refused with {code}; a security module may be why"
        return Verdict(name, usable=False, why=why)
    why = f"a seccomp filter refuses ptrace with {code}"
    return Verdict(name, usable=False, why=why, remedies=for_capabilities(facts, _PTRACE))


def _attach(facts: Facts) -> Verdict:
    name = "ptrace, attach"
    run = _run(facts)
    if not run.usable:
        return attrs.evolve(run, name=name, remedies=_remedies_to_attach(facts, run))
    if _has(facts, _PTRACE):
        where = " of this container" if facts.container or facts.user_namespace else ""
        return Verdict(name, usable=True, why=f"any process{where}")
    if facts.ptrace_scope in {None, _ANY_OWN}:
        return Verdict(name, usable=True, why="your own processes, without CAP_SYS_PTRACE")
    why = (
        f"kernel.yama.ptrace_scope is {facts.ptrace_scope} and CAP_SYS_PTRACE is missing, "
        "so only what syswatch starts itself can be traced"
    )
    remedies = (*for_capabilities(facts, _PTRACE), *for_ptrace_scope(_ANY_OWN))
    return Verdict(name, usable=False, why=why, remedies=remedies)


def _remedies_to_attach(facts: Facts, run: Verdict) -> tuple[str, ...]:
    """Return what helps where not even a command can be traced: to attach, Yama wants more."""
    if _has(facts, _PTRACE):
        return run.remedies
    if facts.ptrace_scope == _NOBODY:
        return at_next_boot(_ANY_OWN)
    if facts.ptrace_scope == _PRIVILEGED:
        return (*for_capabilities(facts, _PTRACE), *for_ptrace_scope(_ANY_OWN))
    return run.remedies


def _ebpf(facts: Facts) -> Verdict:
    """Collect all that is missing: each of these is needed."""
    missing: list[str] = []
    remedies: list[str] = []
    if kernel_version(facts.kernel) < _TASK_STORAGE:
        missing.append(f"Linux 5.12 or newer (this is {facts.kernel})")
        remedies.append("a newer kernel")
    if not facts.btf:
        missing.append("the kernel's own types, /sys/kernel/btf/vmlinux")
        remedies.append("a kernel built with CONFIG_DEBUG_INFO_BTF=y, as distributions ship it")
    if not facts.libbpf:
        missing.append("the library libbpf.so.1")
        remedies.append("apt install libbpf1 (Debian, Ubuntu) or dnf install libbpf (Fedora)")
    if facts.lockdown == "confidentiality":
        missing.append("a kernel that is not locked down to confidentiality")
        remedies.append("lockdown=integrity on the kernel's command line")
    if facts.user_namespace:
        missing.append("the machine's own user namespace")
        remedies.append("a container that is not rootless, or the machine itself")
    elif not (_has(facts, _BPF) or _ADMIN in facts.capabilities):
        missing.append(" and ".join(sorted(_BPF - facts.capabilities)))
        remedies += for_capabilities(facts, _BPF)
    if missing:
        why = f"it needs {_listed(missing)}"
        return Verdict("eBPF", usable=False, why=why, remedies=tuple(remedies))
    return Verdict("eBPF", usable=True, why="any process, without stopping it")


def _has(facts: Facts, capabilities: frozenset[str]) -> bool:
    return capabilities <= facts.capabilities


def _listed(parts: list[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)}, and {last}" if first else last


def kernel_version(release: str) -> tuple[int, ...]:
    """Return the two first numbers of a kernel's release."""
    return tuple(int(number) for number in re.findall(r"\d+", release)[:2])
