"""What this machine allows us: facts alone, each read from where the kernel or a tool leaves it."""

import ctypes
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import attrs

from syswatch.base.text import inert

from .proc import control_groups, raw_comm, read_status

# The numbers of the capabilities that matter to a tracer.
TRACING_CAPABILITIES = {
    19: "CAP_SYS_PTRACE",
    39: "CAP_BPF",
    38: "CAP_PERFMON",
    21: "CAP_SYS_ADMIN",
}
_WHOLE_RANGE = ["0", "0", "4294967295"]
# How the control groups of each kind of container are named.
_CONTAINERS = {
    "kubernetes": re.compile(r"kubepods"),
    "docker": re.compile(r"docker[-/][0-9a-f]{12}"),
    "podman": re.compile(r"libpod-[0-9a-f]{12}"),
    "containerd": re.compile(r"containerd[-/][0-9a-f]{12}"),
    "lxc": re.compile(r"lxc(?:\.payload)?[./]"),
}
_LIBRARY_FOLDERS = ("usr/lib", "usr/lib64", "lib", "lib64", "usr/local/lib", "usr/local/lib64")
_PTRACE_TRACEME = 0


@attrs.frozen
class Facts:
    """What is so on this machine, for this process."""

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
    # Who traces us, if anybody does.
    tracer_pid: int = 0


@attrs.frozen
class Target:
    """What is so for a process that somebody wants to trace."""

    uid: int
    tracer_pid: int
    name: str
    kernel_thread: bool


def try_traceme() -> int:
    """Let a child ask to be traced; return the error that it got, or 0."""
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if not child:
        # The error of an earlier call is still there where this one has none.
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
    """Look at the machine below `root`; only `traceme` does something instead of looking."""
    status = read_status(proc=root / "proc")
    path = os.environ.get("PATH", os.defpath) if search_path is None else search_path
    scope = _text(root / "proc/sys/kernel/yama/ptrace_scope")
    return Facts(
        uid=_effective_uid(status),
        capabilities=_capabilities(status),
        ptrace_scope=int(scope) if scope.isdecimal() else None,
        seccomp=int(status.get("Seccomp", "0")),
        no_new_privileges=status.get("NoNewPrivs") == "1",
        container=_container(root),
        user_namespace=_in_user_namespace(root),
        kernel=inert(_text(root / "proc/sys/kernel/osrelease")),
        btf=_is_there(root / "sys/kernel/btf/vmlinux"),
        libbpf=_has_libbpf(root),
        lockdown=_lockdown(root),
        strace=any(_is_there(root / folder.lstrip("/") / "strace") for folder in path.split(":")),
        traceme_errno=traceme(),
        interpreter=inert(str(Path(interpreter).resolve())),
        tracer_pid=int(status.get("TracerPid", "0")),
    )


def read_target(pid: int, root: Path = Path("/")) -> Target | None:
    """Look at a process; None if there is none of this number."""
    status = read_status(pid, root / "proc")
    if not status:
        return None
    return Target(
        uid=_effective_uid(status),
        tracer_pid=int(status.get("TracerPid", "0")),
        name=inert(raw_comm(pid, root / "proc")),
        # A process has memory of its own; a thread of the kernel does not.
        kernel_thread="VmSize" not in status and not status.get("State", "").startswith("Z"),
    )


def _effective_uid(status: dict[str, str]) -> int:
    _, effective, *_ = [*status.get("Uid", "").split(), "0", "0"]
    return int(effective)


def _capabilities(status: dict[str, str]) -> frozenset[str]:
    bits = int(status.get("CapEff", "0"), 16)
    return frozenset(name for number, name in TRACING_CAPABILITIES.items() if bits >> number & 1)


def _container(root: Path) -> str:
    """Return what kind of container this is; nothing where there is no sign of one."""
    groups = [path for _, path in control_groups(proc=root / "proc")]
    for kind, pattern in _CONTAINERS.items():
        if any(map(pattern.search, groups)):
            return kind
    if _is_there(root / ".dockerenv"):
        return "docker"
    if _is_there(root / "run/.containerenv"):
        return "podman"
    if _is_there(root / "var/run/secrets/kubernetes.io"):
        return "kubernetes"
    return ""


def _in_user_namespace(root: Path) -> bool:
    numbers = _text(root / "proc/self/uid_map").split()
    return bool(numbers) and numbers != _WHOLE_RANGE


def _has_libbpf(root: Path) -> bool:
    folders = [root / folder for folder in _LIBRARY_FOLDERS]
    return any(
        _is_there(folder / "libbpf.so.1") or any(folder.glob("*-linux-gnu*/libbpf.so.1"))
        for folder in folders
    )


def _lockdown(root: Path) -> str:
    """Return the mode in brackets; `none` where the kernel has no such thing."""
    modes = _text(root / "sys/kernel/security/lockdown")
    return inert(modes.partition("[")[2].partition("]")[0]) or "none"


def _is_there(path: Path) -> bool:
    # Path.exists() raises an error for a folder that we may not look into.
    return os.path.exists(path)  # noqa: PTH110


def _text(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes()).strip()
    except OSError:
        return ""
