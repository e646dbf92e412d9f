"""What follows the target from the beginning, before there is anything that reads the results."""

import ctypes
import os
import select
import time

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import raw_comm
from syswatch.tracer.clock import Clock

from . import layout
from .program import Program

_END_MS = 100


@define
class Following:
    """
    The named processes, which a loaded program follows.

    Its reader takes longer to import than the program needs to begin: a command already runs then.
    """

    program: Program
    # Of the named processes, the main one first; readable when the process has ended.
    pidfds: list[int] = attrs.field(factory=list, init=False)
    # The numbers of their records.
    _numbers: list[int] = attrs.field(factory=list, init=False)
    # The command, or the first process that was attached to.
    main_pid: int = attrs.field(default=0, init=False)
    # By which everything that is read is dated.
    clock: Clock = attrs.field(factory=Clock, init=False)
    # When the program was attached, by the monotonic clock.
    began_ns: int = attrs.field(factory=time.monotonic_ns, init=False)

    @property
    def began_time_ns(self) -> int:
        """The same, as a time of day."""
        return self.began_ns + self.clock.offset_ns()

    def take(self, pid: int, parent: int, flags: int = 0) -> None:
        """Follow a process; a ProcessLookupError if it has ended."""
        pidfd = os.pidfd_open(pid)
        self.pidfds.append(pidfd)
        self.main_pid = self.main_pid or pid
        begins = bool(flags & layout.WAITING)
        if self.program.settings.profile and not begins:
            self.program.totals.unseen_starts += 1
        record = self.add_record(pid, parent, raw_comm(pid), begins=begins)
        self._numbers.append(record)
        self.program.follow(pidfd, record, flags)

    def add_record(self, pid: int, parent: int, comm: bytes, *, begins: bool = False) -> int:
        """
        Create the record of a process that is followed by name; return its number.

        If it begins in the trace, the program knows when.
        """
        most = int(self.program.settings.records)
        number = min(int(self.program.totals.unused), most)
        record = self._record(number)
        record.pid, record.parent, record.comm = pid, parent, comm[: layout.COMM - 1]
        record.born_ns = 0 if begins else 1
        record.state = layout.ALIVE
        self.program.totals.unused = number + 1
        return number

    def begin(self) -> None:
        """Attach the program, and find all threads and descendants of the named processes."""
        self.began_ns = time.monotonic_ns()
        # What is recorded is dated by the program.
        self.program.totals.clock_ns = self.clock.offset_ns()
        # Attached first: a process that ended in between would be counted as alive for ever.
        self.program.attach()
        self.program.scan()

    def hidden(self) -> int:
        """Return the PID of a process that is alive, and none of whose threads was found, or 0."""
        for pidfd, number in zip(self.pidfds, self._numbers, strict=True):
            record = self._record(number)
            # A process that ends has no thread for a moment before its descriptor says so.
            if not (record.tasks or _ends(pidfd)):
                return int(record.pid)
        return 0

    def _record(self, number: int) -> layout.Process:
        size = ctypes.sizeof(layout.Process)
        # Named processes come first, and their number is only limited by that of records.
        records = self.program.mapped("processes", (number + 1) * size)
        return layout.Process.from_buffer(records, number * size)


def _ends(pidfd: int) -> bool:
    """Return whether a process has ended, or ends in a moment."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(_END_MS))
