"""The watched process, and the processes it started."""

import attrs

from .times import add_ns


@attrs.frozen
class ProcessInfo:
    """Who is being watched; a log knows only a part of it."""

    pid: int = 0
    comm: str = ""
    cmdline: str = ""
    exe: str = ""
    cwd: str = ""


@attrs.frozen
class ProcessTally:
    """What one process did in all."""

    parent: int = 0
    comm: str = ""
    count: int = 0
    errors: int = 0
    total_ns: int = 0
    ending: str = ""
    # Set in the delta that first tells of it, so that one which finds no room is counted once.
    is_new: bool = False

    def __add__(self, other: "ProcessTally") -> "ProcessTally":
        """Sum the numbers; of the facts, the later side's win."""
        return ProcessTally(
            parent=other.parent or self.parent,
            comm=other.comm or self.comm,
            count=self.count + other.count,
            errors=self.errors + other.errors,
            total_ns=add_ns(self.total_ns, other.total_ns),
            ending=other.ending or self.ending,
            is_new=self.is_new or other.is_new,
        )
