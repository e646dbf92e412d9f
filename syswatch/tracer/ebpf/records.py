"""The records of processes: who they are, what they did in all, and how they ended."""

import ctypes
import os
from collections.abc import Callable, Iterator
from mmap import mmap

import attrs

from syswatch.base.text import inert
from syswatch.model.endings import ending
from syswatch.model.process import ProcessTally

from . import layout
from .program import RECORDS, Program

_SIZE = ctypes.sizeof(layout.Process)
_EMPTY = bytes(_SIZE)
_STATE = layout.Process.state.offset
_OVER = (layout.ENDED, layout.LEFT)


@attrs.define
class Records:
    """Compares the records with what they held before."""

    program: Program
    redact: Callable[[str], str]
    # Those that have ended, or have left what is watched, and are not used again yet.
    ended: set[int] = attrs.field(factory=set, init=False)
    _known: dict[int, bytes] = attrs.field(factory=dict, init=False)
    # Records above this one have never been used.
    _highest: int = attrs.field(default=0, init=False)
    _records: mmap = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map what is read."""
        self._records = self.program.mapped("processes", RECORDS * _SIZE)

    def new(self, pid: int, parent: int, comm: bytes) -> int:
        """Make the record of a process that was named from outside."""
        self._highest += 1
        record = layout.Process.from_buffer(self._records, self._highest * _SIZE)
        record.pid, record.parent, record.comm = pid, parent, comm[: layout.COMM - 1]
        record.state = layout.ALIVE
        return self._highest

    def offer(self) -> None:
        """Let the program have all other records."""
        self.program.totals.unused = self._highest + 1

    def pid_of(self, number: int) -> int:
        """Return whose record it is, even if it is newer than our look; 0 for those without one."""
        return int(layout.Process.from_buffer(self._records, number * _SIZE).pid)

    def read(self) -> Iterator[tuple[int, ProcessTally, int | None]]:
        """Yield what is new of each process, and how it ended, as wait says it, if it did."""
        number = 0
        while (number := number + 1) < RECORDS:
            data = self._records[number * _SIZE : (number + 1) * _SIZE]
            if data[_STATE] == layout.FREE:
                if number > self._highest:
                    return
                continue
            self._highest = max(self._highest, number)
            lives = int(number not in self._known)
            before = self._known.get(number, _EMPTY)
            if data == before:
                continue
            self._known[number] = data
            new, old = (layout.Process.from_buffer_copy(record) for record in (data, before))
            if new.state in _OVER:
                self.ended.add(number)
            tally = attrs.evolve(self._tally(new, old), lives=lives)
            yield new.pid, tally, new.ending if new.state == layout.ENDED else None

    def reuse(self) -> None:
        """Let the program have the records of those who have ended."""
        for number in self.ended:
            del self._known[number]
            self._records[number * _SIZE : (number + 1) * _SIZE] = _EMPTY
            self.program.vacate(number)
        self.ended.clear()

    def _tally(self, new: layout.Process, old: layout.Process) -> ProcessTally:
        return ProcessTally(
            parent=new.parent,
            comm=self.redact(inert(new.comm)),
            count=new.count - old.count,
            errors=new.errors - old.errors,
            total_ns=new.total_ns - old.total_ns,
            ending=_ending(new.ending) if new.state == layout.ENDED else "",
        )


def _ending(status: int) -> str:
    return ending(os.waitstatus_to_exitcode(status & 0xFFFF))
