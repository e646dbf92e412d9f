"""The records of processes: identity, sums of all calls, and ending."""

import ctypes
import os
import time
from collections.abc import Callable, Iterator

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.machine.proc import comm_of
from syswatch.model.process import ProcessTally, describe_ending
from syswatch.tracer.objects.describe import Owner

from . import layout
from .maps import RECORDS
from .program import Program
from .table_memory import TableMemory

_SIZE = ctypes.sizeof(layout.Process)
_EMPTY = bytes(_SIZE)
_STATE = layout.Process.state.offset
_GONE = (layout.ENDED, layout.LEFT)


def _ignore_pid(_pid: int) -> None:
    """Ignore a process."""


def _ignore(_number: int, _record: layout.Process) -> None:
    """Ignore a record."""


@define
class Records:
    """Reads the increments of the records."""

    program: Program
    redact: Callable[[str], str]
    most: int = RECORDS
    # Records of processes that have ended or left the scope, and are not free yet.
    ended: set[int] = attrs.field(factory=set, init=False)
    # Takes each record that has changed, with its number.
    changed: Callable[[int, layout.Process], None] = attrs.field(default=_ignore, init=False)
    # Takes the PID of each process that is new, or has a new name.
    noticed: Callable[[int], None] = attrs.field(default=_ignore_pid, init=False)
    # Takes that of each other process whose record has changed.
    noticed_again: Callable[[int], None] = attrs.field(default=_ignore_pid, init=False)
    # When the last process ended that has been read, by the monotonic clock.
    _ended_ns: int = attrs.field(default=0, init=False)
    _known: dict[int, bytes] = attrs.field(factory=dict, init=False)
    # The names of processes by PID, as long as they have a record.
    _names: dict[int, bytes] = attrs.field(factory=dict, init=False)
    _records: TableMemory = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the records into memory; the program uses those that were never used in turn."""
        self._records = TableMemory(self.program, "processes", RECORDS * _SIZE)

    def pid_of(self, number: int) -> int:
        """Return the PID of a record, even of one that is newer than the last reading."""
        return int(self._record(number).pid)

    def owner_of(self, number: int) -> Owner:
        """Return the process of a record, by its present name."""
        record = self._record(number)
        return Owner(int(record.pid), self.redact(escape_text(record.comm)))

    def comm_of(self, pid: int) -> str:
        """Return the name of a process, even of one that has just ended."""
        if pid not in self._names:
            self._read_names()
        name = self._names.get(pid)
        return comm_of(pid) if name is None else self.redact(escape_text(name))

    def _read_names(self) -> None:
        for number in range(layout.FIRST_PROCESS, self._used()):
            record = self._record(number)
            if record.state != layout.FREE:
                self._names[record.pid] = record.comm

    def _used(self) -> int:
        """Return the number of the first record that has never been used."""
        return min(int(self.program.totals.unused), RECORDS)

    def in_use(self) -> int:
        """Return how many records are those of processes that exist or have not been read yet."""
        end = self._used() * _SIZE
        states = self._records.upto(end)[layout.FIRST_PROCESS * _SIZE + _STATE : end : _SIZE]
        return len(states) - states.count(layout.FREE)

    def read(self) -> Iterator[tuple[int, ProcessTally, int | None]]:
        """Yield PID, increments and wait status (None while it runs) of each changed process."""
        used = self._used()
        records = self._records.upto(used * _SIZE)
        for number in range(layout.FIRST_PROCESS, used):
            data = records[number * _SIZE : (number + 1) * _SIZE]
            if data[_STATE] == layout.FREE:
                # The program takes a record back that no task got.
                self._known.pop(number, None)
                continue
            lives = int(number not in self._known)
            before = self._known.get(number, _EMPTY)
            if data == before:
                continue
            self._known[number] = data
            new, old = (layout.Process.from_buffer_copy(record) for record in (data, before))
            self._names[new.pid] = new.comm
            if lives or new.comm != old.comm:
                self.noticed(new.pid)
            else:
                self.noticed_again(new.pid)
            self.changed(number, new)
            if new.state in _GONE:
                self.ended.add(number)
                self._ended_ns = max(self._ended_ns, new.ended_ns)
            tally = attrs.evolve(self._tally(new, old), lives=lives)
            yield new.pid, tally, new.ending if new.state == layout.ENDED else None

    def observed_until(self, offset_ns: int) -> int:
        """Return until when, by the time of day, there was anything to observe."""
        now_ns = time.time_ns()
        if self.program.totals.tasks or not self._ended_ns:
            return now_ns
        # A short command may have ended before anything was read.
        return min(now_ns, self._ended_ns + offset_ns)

    def free_ended(self) -> None:
        """Let the program reuse the records of processes that have ended."""
        for number in self.ended:
            self._names.pop(self.pid_of(number), None)
            del self._known[number]
            self._records.write(number * _SIZE, _EMPTY)
            self.program.free("vacant", number)
        self.ended.clear()

    def _record(self, number: int) -> layout.Process:
        memory = self._records.upto((number + 1) * _SIZE)
        return layout.Process.from_buffer(memory, number * _SIZE)

    def _tally(self, new: layout.Process, old: layout.Process) -> ProcessTally:
        return ProcessTally(
            parent=new.parent,
            comm=self.redact(escape_text(new.comm)),
            count=new.count - old.count,
            errors=new.errors - old.errors,
            total_ns=new.total_ns - old.total_ns,
            ending=_ending(new.ending) if new.state == layout.ENDED else "",
        )


def _ending(status: int) -> str:
    return describe_ending(os.waitstatus_to_exitcode(status & 0xFFFF))
