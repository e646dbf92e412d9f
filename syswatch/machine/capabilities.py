"""Facts about this machine and this process that decide what can be traced."""

import ctypes
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text

from .proc import control_groups, raw_comm, read_status

# The numbers of the capabilities that matter to a tracer.
TRACING_CAPABILITIES = {
    19: "CAP_SYS_PTRACE",
    39: "CAP_BPF",
    38: "CAP_PERFMON",
    21: "CAP_SYS_ADMIN",
}
_WHOLE_RANGE = ["0", "0", "4294967295"]
# The names of control groups by kind of container.
_CONTAINERS = {
    "kubernetes": re.compile(r"kubepods"),
    "docker": re.compile(r"docker[-/][0-9a-f]{12}"),
    "podman": re.compile(r"libpod-[0-9a-f]{12}"),
    "containerd": re.compile(r"containerd[-/][0-9a-f]{12}"),
    "lxc": re.compile(r"lxc(?:\.payload)?[./]"),
}
_LIBRARY_FOLDERS = ("usr/lib", "usr/lib64", "lib", "lib64", "usr/local/lib", "usr/local/lib64")
_PTRACE_TRACEME = 0


@frozen
class Facts:
    """What this machine offers to this process."""

    uid: int
    capabilities: frozenset[str]
    ptrace_scope: int | None
    seccomp: int
    no_new_privileges: bool
    container: str
    user_namespace: bool
    kernel: str
    btf: bool
    libbpf: bool
    lockdown: str
    strace: bool
    traceme_errno: int
    interpreter: str
    # The process that traces this one, 0 for none.
    tracer_pid: int = 0
    # What root would have: the bounding set.
    of_root: frozenset[str] = frozenset()


@frozen
class Target:
    """Facts about a process before it is traced."""

    uid: int
    tracer_pid: int
    name: str
    kernel_thread: bool


def try_traceme() -> int:
    """Call PTRACE_TRACEME in a child process; return its error, or 0."""
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if not child:
        # Without a failure, errno holds the error of an earlier call.
        failed = libc.ptrace(_PTRACE_TRACEME, 0, None, None) < 0
        os._exit(ctypes.get_errno() if failed else 0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def read_facts(
    root: Path = Path("/"),
    search_path: str | None = None,
    interpreter: str = sys.executable,
    traceme: Callable[[], int] = try_traceme,
) -> Facts:
    """Return the facts about the machine whose root directory is `root`."""
    status = read_status(proc=root / "proc")
    path = os.environ.get("PATH", os.defpath) if search_path is None else search_path
    scope = _text(root / "proc/sys/kernel/yama/ptrace_scope")
    return Facts(
        uid=_effective_uid(status),
        capabilities=_capabilities(status, "CapEff"),
        ptrace_scope=int(scope) if scope.isdecimal() else None,
        seccomp=int(status.get("Seccomp", "0")),
        no_new_privileges=status.get("NoNewPrivs") == "1",
        container=_container(root),
        user_namespace=_in_user_namespace(root),
        kernel=escape_text(_text(root / "proc/sys/kernel/osrelease")),
        btf=_exists(root / "sys/kernel/btf/vmlinux"),
        libbpf=_has_libbpf(root),
        lockdown=_lockdown(root),
        strace=any(_exists(root / folder.lstrip("/") / "strace") for folder in path.split(":")),
        traceme_errno=traceme(),
        interpreter=escape_text(str(Path(interpreter).resolve())),
        tracer_pid=int(status.get("TracerPid", "0")),
        of_root=_capabilities(status, "CapBnd"),
    )


def read_target(pid: int, root: Path = Path("/")) -> Target | None:
    """Return facts about a process; None if there is none with this PID."""
    status = read_status(pid, root / "proc")
    if not status:
        return None
    return Target(
        uid=_effective_uid(status),
        tracer_pid=int(status.get("TracerPid", "0")),
        name=escape_text(raw_comm(pid, root / "proc")),
        # A process has its own memory; a kernel thread has none.
        kernel_thread="VmSize" not in status and not status.get("State", "").startswith("Z"),
    )


def _effective_uid(status: dict[str, str]) -> int:
    _, effective, *_ = [*status.get("Uid", "").split(), "0", "0"]
    return int(effective)


def _capabilities(status: dict[str, str], which: str) -> frozenset[str]:
    bits = int(status.get(which, "0"), 16)
    return frozenset(name for number, name in TRACING_CAPABILITIES.items() if bits >> number & 1)


_HOSTS_OF_POD = "# Kubernetes-managed hosts file"


def _container(root: Path) -> str:
    """Return the kind of container that this process runs in; empty if none is detected."""
    groups = [path for _, path in control_groups(proc=root / "proc")]
    for kind, pattern in _CONTAINERS.items():
        if any(map(pattern.search, groups)):
            return kind
    # Its runtimes may leave the marks of Docker and Podman, too.
    if _text(root / "etc/hosts").startswith(_HOSTS_OF_POD):
        return "kubernetes"
    if _exists(root / ".dockerenv"):
        return "docker"
    if _exists(root / "run/.containerenv"):
        return "podman"
    if _exists(root / "var/run/secrets/kubernetes.io"):
        return "kubernetes"
    return ""


def _in_user_namespace(root: Path) -> bool:
    numbers = _text(root / "proc/self/uid_map").split()
    return bool(numbers) and numbers != _WHOLE_RANGE


def _has_libbpf(root: Path) -> bool:
    folders = [root / folder for folder in _LIBRARY_FOLDERS]
    return any(
        _exists(folder / "libbpf.so.1") or any(folder.glob("*-linux-gnu*/libbpf.so.1"))
        for folder in folders
    )


def _lockdown(root: Path) -> str:
    """Return the mode in brackets; `none` if the kernel does not support lockdown."""
    modes = _text(root / "sys/kernel/security/lockdown")
    return escape_text(modes.partition("[")[2].partition("]")[0]) or "none"


def _exists(path: Path) -> bool:
    # Path.exists() raises an error for an unreadable directory.
    return os.path.exists(path)  # noqa: PTH110


def _text(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes()).strip()
    except OSError:
        return ""
