"""Processes: the traced one, those it started, and how each ended."""

from signal import Signals

from syswatch.base.classes import frozen

from .times import add_ns


@frozen
class ProcessInfo:
    """The traced process; a log has only some of these facts."""

    pid: int = 0
    comm: str = ""
    cmdline: str = ""
    exe: str = ""
    cwd: str = ""


@frozen
class ProcessTally:
    """The totals of one process, or of several that had the same PID one after the other."""

    parent: int = 0
    comm: str = ""
    count: int = 0
    errors: int = 0
    total_ns: int = 0
    ending: str = ""
    # How many processes had this PID; each is counted by the first delta that mentions it.
    lives: int = 0

    def __add__(self, other: "ProcessTally") -> "ProcessTally":
        """Add the numbers; of the other facts, the later ones win."""
        return ProcessTally(
            parent=other.parent or self.parent,
            comm=other.comm or self.comm,
            count=self.count + other.count,
            errors=self.errors + other.errors,
            total_ns=add_ns(self.total_ns, other.total_ns),
            # A new process with this PID has not ended as the one before it did.
            ending=other.ending or ("" if other.lives else self.ending),
            lives=self.lives + other.lives,
        )


def describe_ending(code: int) -> str:
    """Describe an exit code, or, if it is negative, the signal that killed the process."""
    return f"exited with {code}" if code >= 0 else f"killed by {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"  # Real-time signals have no names of their own.
