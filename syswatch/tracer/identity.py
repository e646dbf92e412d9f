"""What /proc says of who a thread is."""

from pathlib import Path

import attrs


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
        lines = Path(f"/proc/{tid}/status").read_text(errors="replace").splitlines()
    except OSError:
        return None
    fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return Identity(
        pid=int(fields["Tgid"]),
        parent=int(fields["PPid"]),
        comm=fields["Name"],
        tracer=int(fields["TracerPid"]),
    )


def comm_of(pid: int) -> str:
    """Return the name that a process has given itself."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").removesuffix("\n")
    except OSError:
        return ""
