"""What /proc says of each process."""

from collections.abc import Iterator
from pathlib import Path

import attrs

from syswatch.base.text import inert


@attrs.frozen
class Process:
    """One process; `groups` are the paths of its control groups, in every hierarchy."""

    pid: int
    parent: int
    comm: str
    arguments: tuple[str, ...]
    groups: tuple[str, ...]


# The kernel's own threads, which make no system calls, have this flag (PF_KTHREAD).
_KERNEL_THREAD = 0x0020_0000


def processes(proc_root: Path) -> Iterator[Process]:
    """Yield every living process of a program, lowest number first."""
    numbers = sorted(int(entry.name) for entry in proc_root.iterdir() if entry.name.isdecimal())
    for pid in numbers:
        process = read_process(proc_root, pid)
        if process is not None:
            yield process


def read_process(proc_root: Path, pid: int) -> Process | None:
    """Return one process, or None if it has ended, be it while we look, or is the kernel's own."""
    folder = proc_root / str(pid)
    try:
        stat = (folder / "stat").read_bytes()
        arguments = (folder / "cmdline").read_bytes()
        groups = (folder / "cgroup").read_bytes()
    except OSError:
        return None
    # The name stands in parentheses, and may hold some itself.
    comm, _, rest = stat.partition(b"(")[2].rpartition(b") ")
    state, parent, _, _, _, _, flags, *_ = rest.split()
    if state in {b"Z", b"X"} or int(flags) & _KERNEL_THREAD:
        return None
    return Process(
        pid=pid,
        parent=int(parent),
        comm=inert(comm),
        arguments=tuple(map(inert, arguments.split(b"\0")[:-1])),
        groups=tuple(map(_group, groups.split(b"\n")[:-1])),
    )


def raw_comm(pid: int, proc_root: Path = Path("/proc")) -> bytes:
    """Return the name of a process or a thread, byte for byte; empty when it has gone."""
    try:
        return (proc_root / str(pid) / "comm").read_bytes().removesuffix(b"\n")
    except OSError:
        return b""


def _group(line: bytes) -> str:
    """Return the path of a line `number:controllers:path`."""
    return inert(line.split(b":", 2)[-1])
