"""Which ways of tracing work on a machine with these facts, and what would enable the others."""

import errno
import re

import attrs

from syswatch.base.classes import frozen
from syswatch.model.backends import EBPF, PTRACE, Backend, Capability, Requirements

from .capabilities import Facts, Target
from .remedies import at_next_boot, for_capabilities, for_ptrace_scope

# Yama's modes, named after its documentation.
_CLASSIC, _RESTRICTED, _ADMIN_ONLY, _NO_ATTACH = range(4)
_PTRACE = PTRACE.requires.capabilities


@frozen
class Verdict:
    """Whether a way of tracing works here; every remedy is a line to type or to paste."""

    name: str
    usable: bool
    why: str
    remedies: tuple[str, ...] = ()


def diagnose(facts: Facts) -> tuple[Verdict, ...]:
    """Return a verdict for each way of tracing."""
    return (_run(facts), _attach(facts), _ebpf(facts))


def backend_verdict(backend: Backend, facts: Facts) -> Verdict:
    """Return whether a backend can be used on this machine."""
    return _ebpf(facts) if backend is EBPF else _run(facts)


def explain_ptrace_denied(pid: int | None, facts: Facts, target: Target | None = None) -> str:
    """Return why a process cannot be traced and what helps; None is a command to be started."""
    if pid is None:
        return _sentences("cannot trace the command", _run(facts))
    if target is not None and target.tracer_pid:
        return (
            f"cannot trace process {pid} ({target.name}): process {target.tracer_pid} traces it "
            "already, and the kernel allows only one tracer. What helps: stop that tracer, or use "
            f"--backend {min(Capability.SHARED_TARGETS.sources)}."
        )
    if target is not None and target.kernel_thread:
        return f"cannot trace process {pid} ({target.name}): it is a kernel thread."
    verdict = _attach(facts)
    why = _beyond_reach(facts, target) if verdict.usable else ""
    if why:
        remedies = for_capabilities(facts, _PTRACE)
        verdict = Verdict(verdict.name, usable=False, why=why, remedies=remedies)
    return _sentences(f"cannot trace process {pid}", verdict)


def explain_ebpf_denied(facts: Facts) -> str:
    """Return why eBPF cannot be used, and what helps."""
    verdict = _ebpf(facts)
    if verdict.usable and facts.seccomp:
        return "eBPF cannot be used: the kernel refused it, possibly because of a seccomp filter."
    return _sentences("eBPF cannot be used", verdict)


def _beyond_reach(facts: Facts, target: Target | None) -> str:
    """Return why a process is refused on a machine that allows others; empty if unknown."""
    if _has(facts, _PTRACE):
        return ""
    if target is not None and target.uid != facts.uid:
        return f"it belongs to uid {target.uid}, and uid {facts.uid} lacks CAP_SYS_PTRACE"
    if facts.container:
        return f"it may have more privileges than this {facts.container} container has"
    return ""


def _sentences(what: str, verdict: Verdict) -> str:
    if verdict.usable:
        return (
            f"{what}: the kernel refused it, possibly because of a security module such as "
            "AppArmor."
        )
    help_text = f" What helps: {verdict.remedies[0]}" if verdict.remedies else ""
    return f"{what}: {verdict.why}.{help_text}"


def _run(facts: Facts) -> Verdict:
    name = "ptrace, run"
    if facts.ptrace_scope == _NO_ATTACH:
        why = "kernel.yama.ptrace_scope is 3, which forbids tracing until the next boot"
        return Verdict(name, usable=False, why=why, remedies=at_next_boot(_RESTRICTED))
    if facts.ptrace_scope == _ADMIN_ONLY and not _has(facts, _PTRACE):
        why = "kernel.yama.ptrace_scope is 2, so tracing needs CAP_SYS_PTRACE"
        remedies = (*for_ptrace_scope(_RESTRICTED), *for_capabilities(facts, _PTRACE))
        return Verdict(name, usable=False, why=why, remedies=remedies)
    if facts.traceme_errno:
        return _refused(name, facts)
    if _is_older(facts, PTRACE.requires):
        why = f"it needs {_newer_kernel(facts, PTRACE.requires)}"
        return Verdict(name, usable=False, why=why, remedies=("a newer kernel",))
    return Verdict(name, usable=True, why="any command that you may start")


_OTHER_FILTER = ("a filter that permits ptrace (seccomp= of Docker, SystemCallFilter= of systemd)",)


def _refused(name: str, facts: Facts) -> Verdict:
    """Return why the kernel refused even a child process that asked to be traced."""
    code = errno.errorcode.get(facts.traceme_errno, str(facts.traceme_errno))
    if facts.tracer_pid and facts.traceme_errno == errno.EPERM:
        why = f"syswatch and all that it starts are already traced by process {facts.tracer_pid}"
        return Verdict(name, usable=False, why=why)
    if not facts.seccomp:
        why = f"the kernel refused it with {code}, possibly because of a security module"
        return Verdict(name, usable=False, why=why)
    why = f"a seccomp filter refuses ptrace with {code}"
    # The filters of container tools permit what needs a capability that is there.
    lacks = bool(facts.container) and not _has(facts, _PTRACE)
    remedies = for_capabilities(facts, _PTRACE) if lacks else _OTHER_FILTER
    return Verdict(name, usable=False, why=why, remedies=remedies)


def _attach(facts: Facts) -> Verdict:
    name = "ptrace, attach"
    run = _run(facts)
    if not run.usable:
        return attrs.evolve(run, name=name, remedies=_remedies_to_attach(facts, run))
    if _has(facts, _PTRACE):
        where = " of this container" if facts.container or facts.user_namespace else ""
        return Verdict(name, usable=True, why=f"any process{where}")
    if facts.ptrace_scope in {None, _CLASSIC}:
        return Verdict(name, usable=True, why="your own processes (without CAP_SYS_PTRACE)")
    why = (
        f"kernel.yama.ptrace_scope is {facts.ptrace_scope} and CAP_SYS_PTRACE is missing, "
        "so only processes that syswatch starts can be traced"
    )
    remedies = (*for_capabilities(facts, _PTRACE), *for_ptrace_scope(_CLASSIC))
    return Verdict(name, usable=False, why=why, remedies=remedies)


def _remedies_to_attach(facts: Facts, run: Verdict) -> tuple[str, ...]:
    """Return what helps where not even a command can be traced: attaching needs more of Yama."""
    if _has(facts, _PTRACE):
        return run.remedies
    if facts.ptrace_scope == _NO_ATTACH:
        return at_next_boot(_CLASSIC)
    if facts.ptrace_scope == _ADMIN_ONLY:
        return (*for_capabilities(facts, _PTRACE), *for_ptrace_scope(_CLASSIC))
    return run.remedies


def _ebpf(facts: Facts) -> Verdict:
    missing, remedies = _missing(facts, EBPF.requires)
    if missing:
        why = f"it needs {_listed(missing)}"
        return Verdict("eBPF", usable=False, why=why, remedies=tuple(remedies))
    return Verdict("eBPF", usable=True, why="any process, without stopping it")


def _missing(facts: Facts, requires: Requirements) -> tuple[list[str], list[str]]:
    """Return everything that a backend needs and that is not here, and what would provide it."""
    missing: list[str] = []
    remedies: list[str] = []
    if not facts.kernel or _is_older(facts, requires):
        missing.append(_newer_kernel(facts, requires))
        remedies.append("a newer kernel")
    if requires.kernel_types and not facts.btf:
        missing.append("kernel type information (BTF, /sys/kernel/btf/vmlinux)")
        remedies.append("a kernel built with CONFIG_DEBUG_INFO_BTF=y, as distributions ship it")
    if requires.library and not facts.libbpf:
        missing.append(f"the library {requires.library}")
        remedies.append("apt install libbpf1 (Debian, Ubuntu) or dnf install libbpf (Fedora)")
    if requires.forbidden_lockdown == facts.lockdown:
        missing.append(f"a kernel without {facts.lockdown} lockdown")
        remedies.append("lockdown=integrity on the kernel's command line")
    if requires.initial_user_namespace and facts.user_namespace:
        missing.append("the initial user namespace")
        remedies.append("a container that is not rootless, or the host itself")
    elif not (_has(facts, requires.capabilities) or requires.or_capabilities & facts.capabilities):
        missing.append(" and ".join(sorted(requires.capabilities - facts.capabilities)))
        remedies += for_capabilities(facts, requires.capabilities)
    return missing, remedies


def _is_older(facts: Facts, requires: Requirements) -> bool:
    """Return whether the kernel is too old; one of an unknown version is not."""
    return bool(facts.kernel) and kernel_version(facts.kernel) < requires.kernel


def _newer_kernel(facts: Facts, requires: Requirements) -> str:
    version = ".".join(map(str, requires.kernel))
    return f"Linux {version} or newer (this is {facts.kernel or 'unknown'})"


def _has(facts: Facts, capabilities: frozenset[str]) -> bool:
    return capabilities <= facts.capabilities


def _listed(parts: list[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)}, and {last}" if first else last


def kernel_version(release: str) -> tuple[int, ...]:
    """Return the first two numbers of a kernel release."""
    return tuple(int(number) for number in re.findall(r"\d+", release)[:2])
