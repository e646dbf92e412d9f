"""What /proc says of who a thread is."""

import os
from pathlib import Path

import attrs

from syswatch.base.text import inert
from syswatch.machine.processes import raw_comm


class AttachError(Exception):
    """A process cannot be attached to; the message is one sentence for the user."""


@attrs.frozen
class Identity:
    """Which process a thread belongs to, as /proc says it."""

    pid: int
    parent: int
    comm: str
    tracer: int


def identify(tid: int) -> Identity | None:
    """Read what /proc knows of a thread; None when it has gone."""
    try:
        lines = Path(f"/proc/{tid}/status").read_bytes().split(b"\n")
    except OSError:
        return None
    fields = dict(line.split(b":\t", 1) for line in lines if b":\t" in line)
    return Identity(
        pid=int(fields[b"Tgid"]),
        parent=int(fields[b"PPid"]),
        # The name in the status is escaped already, and differently.
        comm=comm_of(tid),
        tracer=int(fields[b"TracerPid"]),
    )


def comm_of(pid: int) -> str:
    """Return the name that a process has given itself."""
    return inert(raw_comm(pid))


def identify_target(number: int) -> Identity:
    """Return who is to be attached to; an AttachError where that makes no sense."""
    identity = identify(number)
    if identity is None:
        raise AttachError(f"there is no process {number}")
    if identity.pid == os.getpid():
        raise AttachError("the tracer cannot trace itself")
    return identity


def is_dead(tid: int) -> bool:
    """Say whether a thread has ended, whether or not somebody has noticed."""
    stat = stat_of(tid)
    return not stat or stat[0] in ("Z", "X")


def stat_of(tid: int) -> list[str]:
    """Return the fields that follow the name: state, parent and so on; none when it has gone."""
    try:
        text = Path(f"/proc/{tid}/stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def thread_ids(pid: int) -> set[int]:
    """Return the threads of a process; none when it has gone."""
    try:
        return {int(name) for name in os.listdir(f"/proc/{pid}/task")}  # noqa: PTH208
    except OSError:
        return set()
