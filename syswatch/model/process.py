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
    """What one process did in all, or several that had its number one after the other."""

    parent: int = 0
    comm: str = ""
    count: int = 0
    errors: int = 0
    total_ns: int = 0
    ending: str = ""
    # How many there were: each is told once, by the delta that first knows of it.
    lives: int = 0

    def __add__(self, other: "ProcessTally") -> "ProcessTally":
        """Sum the numbers; of the facts, the later side's win."""
        return ProcessTally(
            parent=other.parent or self.parent,
            comm=other.comm or self.comm,
            count=self.count + other.count,
            errors=self.errors + other.errors,
            total_ns=add_ns(self.total_ns, other.total_ns),
            # A process that has just begun has not ended as the one before it did.
            ending=other.ending or ("" if other.lives else self.ending),
            lives=self.lives + other.lives,
        )
