"""
Reading /proc: the only module that knows the format of its files about processes.

Names are returned escaped, unless a function says otherwise.  What cannot be read, usually because
the process has ended, is None or empty.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text

PROC = Path("/proc")
# The flag PF_KTHREAD of kernel threads, which make no system calls.
_KERNEL_THREAD = 0x0020_0000
# PF_FORKNOEXEC.
_NEVER_EXECUTED = 0x40
_ENDED = frozenset({"Z", "X"})
_SELF = "self"


@frozen
class Stat:
    """The fields of /proc/PID/stat; `fields` begins after the name, with the state."""

    comm: bytes
    fields: list[str]

    @property
    def state(self) -> str:
        """Return the state, one letter."""
        return self.fields[0]

    @property
    def parent(self) -> int:
        """Return the PID of the parent."""
        return int(self.fields[1])

    @property
    def cpu_ticks(self) -> int:
        """Return the CPU time of all its threads, in clock ticks."""
        return int(self.fields[11]) + int(self.fields[12])

    @property
    def is_kernel_thread(self) -> bool:
        """Return whether this is a thread of the kernel."""
        return bool(int(self.fields[6]) & _KERNEL_THREAD)


@frozen
class Process:
    """A running process; `groups` are the paths of its control groups, in every hierarchy."""

    pid: int
    parent: int
    comm: str
    arguments: tuple[str, ...]
    groups: tuple[str, ...]


@frozen
class Identity:
    """The process that a thread belongs to, and the process that traces it (0 for none)."""

    pid: int
    parent: int
    comm: str
    tracer: int


def pids(proc: Path = PROC) -> list[int]:
    """Return the PIDs of all processes in ascending order."""
    # Faster than Path.iterdir(), and called while processes are stopped.
    return sorted(int(name) for name in os.listdir(proc) if name.isdecimal())  # noqa: PTH208


def thread_ids(pid: int) -> set[int]:
    """Return the thread IDs of a process; none if it has ended."""
    try:
        return {int(name) for name in os.listdir(f"/proc/{pid}/task")}  # noqa: PTH208
    except OSError:
        return set()


def open_descriptors() -> list[int]:
    """Return the open file descriptors of this process, and a closed one used for reading."""
    return sorted(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208


def exists(pid: int) -> bool:
    """Return whether there is a process or thread with this ID."""
    return os.path.exists(f"/proc/{pid}")  # noqa: PTH110  called for each new thread


def has_thread(pid: int, tid: int) -> bool:
    """Return whether a thread belongs to a process."""
    return os.path.exists(f"/proc/{pid}/task/{tid}")  # noqa: PTH110  called for each new thread


def read_stat(pid: int | str = _SELF, proc: Path = PROC) -> Stat | None:
    """Return the fields of /proc/PID/stat."""
    data = _read(proc / str(pid) / "stat")
    # The name is in parentheses, and may contain some itself.
    before, closing, rest = data.rpartition(b")")
    if not closing:
        return None
    return Stat(before.partition(b"(")[2], rest.decode("ascii", "replace").split())


def read_status(pid: int | str = _SELF, proc: Path = PROC) -> dict[str, str]:
    """Return the lines of /proc/PID/status by their names."""
    lines = os.fsdecode(_read(proc / str(pid) / "status")).split("\n")
    pairs = (line.partition(":") for line in lines)
    return {key: value.strip() for key, colon, value in pairs if colon}


def has_ended(tid: int) -> bool:
    """Return whether a thread has ended, even if nothing has waited for it yet."""
    stat = read_stat(tid)
    return stat is None or stat.state in _ENDED


def identify(tid: int) -> Identity | None:
    """Return the process that a thread belongs to."""
    status = read_status(tid)
    if not status:
        return None
    return Identity(
        pid=int(status["Tgid"]),
        parent=int(status["PPid"]),
        # The name in the status is escaped differently.
        comm=comm_of(tid),
        tracer=int(status["TracerPid"]),
    )


def processes(proc: Path = PROC) -> Iterator[Process]:
    """Yield every running process except kernel threads, by ascending PID."""
    for pid in pids(proc):
        process = read_process(pid, proc)
        if process is not None:
            yield process


def read_process(pid: int, proc: Path = PROC) -> Process | None:
    """Return a process, or None if it has ended or is a kernel thread."""
    stat = read_stat(pid, proc)
    if stat is None or stat.state in _ENDED or stat.is_kernel_thread:
        return None
    return Process(
        pid=pid,
        parent=stat.parent,
        comm=escape_text(stat.comm),
        arguments=tuple(map(escape_text, read_command_line(pid, proc=proc).split(b"\0")[:-1])),
        groups=tuple(escape_text(path) for _, path in control_groups(pid, proc)),
    )


def raw_comm(pid: int, proc: Path = PROC) -> bytes:
    """Return the name of a process or thread, byte for byte."""
    return _read(proc / str(pid) / "comm").removesuffix(b"\n")


def comm_of(pid: int) -> str:
    """Return the name of a process or thread."""
    return escape_text(raw_comm(pid))


def read_command_line(pid: int, limit: int = -1, proc: Path = PROC) -> bytes:
    """Return the arguments of a process, byte for byte, each followed by a NUL."""
    return _read(proc / str(pid) / "cmdline", limit)


def read_environment(pid: int, limit: int, proc: Path = PROC) -> bytes:
    """Return the first part of the environment that a program was started with, byte for byte."""
    return _read(proc / str(pid) / "environ", limit)


def has_executed(pid: int, proc: Path = PROC) -> bool | None:
    """Return whether a process has executed a program since it was forked; None if it is gone."""
    stat = read_stat(pid, proc)
    return None if stat is None else not int(stat.fields[6]) & _NEVER_EXECUTED


def read_link(pid: int, name: str) -> bytes:
    """Return the target of a link such as `exe` or `fd/3`, byte for byte."""
    try:
        # In bytes: a path need not be text.
        return os.readlink(b"/proc/%d/%s" % (pid, name.encode()))  # noqa: PTH115
    except OSError:
        return b""


def control_groups(pid: int | str = _SELF, proc: Path = PROC) -> list[tuple[str, str]]:
    """Return controllers and raw path of each control group; version 2 has no controllers."""
    lines = os.fsdecode(_read(proc / str(pid) / "cgroup")).split("\n")
    parts = (line.split(":", 2) for line in lines if line)
    return [(controllers, path) for _, controllers, path in parts]


class CallInProgress(NamedTuple):
    """A system call that a thread is blocked in."""

    number: int
    arguments: tuple[int, ...]


def call_in_progress(tid: int) -> CallInProgress | None:
    """Return the system call that a thread is blocked in; None if unknown."""
    try:
        number, *registers = _read(PROC / str(tid) / "syscall").split()
        *arguments, _stack, _instruction = (int(register, 16) for register in registers)
        return CallInProgress(int(number), tuple(arguments))
    except ValueError:
        return None  # It runs its own code, or the file is not readable.


def _read(path: Path, limit: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError:
        return b""
