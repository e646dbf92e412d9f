"""
Which program each process was executing at each time.

A successful `execve` has the executed file as its object.  Where that or the new name of a process
is not known, and for processes that are older than the trace, the deltas tell, each what was so
when it was made.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

import attrs

from syswatch.base.classes import define, frozen
from syswatch.model.catalog import executes, plain_name
from syswatch.model.evidence import ANY_PROGRAM
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording.extra import load
from syswatch.tracer.stracelog.log_evidence import new_name, program_of

from .batch import NO_NAME, Batch
from .ends import process_rows
from .opening import Recording
from .recorded import Known

_CREATES: Final = frozenset({"clone", "clone3", "fork", "vfork"})
_NAMES: Final = "prctl"
_PR_SET_NAME: Final = 15
# At the same time, a process begins before anything else, and what a delta tells comes last.
_BEGINS, _RENAMED, _TOLD = range(3)
# A delta is dated by another clock than calls, and a call that stops its thread for long by when it
# should have ended: so long after a process was renamed, a delta may still tell its former name.
_LATE_NS: Final = SECOND_NS // 3


class _Naming(NamedTuple):
    """What a process is called from a time on; None if only a later delta tells."""

    at_ns: int
    # Where it comes from, which orders what happens at the same time.
    rank: int
    pid: int
    parent: int
    name: str | None


@define
class Programs:
    """The names of the programs by process and time."""

    known: Known
    # A log does not tell threads from processes, which begin where a call returns their IDs.
    is_of_log: bool
    _namings: list[_Naming] = attrs.field(factory=list, init=False)
    # Those of a log: the name of a process is that of its first thread.
    _threads: set[int] = attrs.field(factory=set, init=False)

    def note(self, batch: Batch) -> None:
        """Note the calls that execute programs, rename processes or, in logs, create them."""
        numpy = load("numpy")
        wanted = {_NAMES, *(_CREATES if self.is_of_log else ())}
        plain = [plain_name(name) for name in batch.names]
        places = [at for at, name in enumerate(plain) if name in wanted or executes(name)]
        found = numpy.isin(batch.name, places) & batch.returned & (batch.errno == NO_NAME)
        for place in numpy.flatnonzero(found).tolist():
            call, pid = plain[batch.name[place]], int(batch.pid[place])
            end_ns, result = int(batch.end[place]), int(batch.result[place])
            if executes(call):
                self._namings.append(
                    _Naming(end_ns, _RENAMED, pid, 0, self._executed(batch, place))
                )
            elif call == _NAMES and pid not in self._threads and _renames(batch, place):
                self._namings.append(
                    _Naming(end_ns, _RENAMED, pid, 0, new_name(batch.text(place)[0].encode()))
                )
            elif call in _CREATES and result > 0:
                if "CLONE_THREAD" in batch.text(place)[0]:
                    self._threads.add(result)
                # Its calls may come before that one returns.
                self._namings.append(_Naming(int(batch.start[place]), _BEGINS, result, pid, None))

    def table(self, recording: Recording) -> "ProgramTable":
        """Return the programs of all processes."""
        current: dict[int, str] = {}
        # The former name of each process that a call renamed, and until when a delta may tell it.
        former: dict[int, tuple[str, int]] = {}
        rows: list[tuple[int, int, str]] = []
        namings = [*self._namings, *self._begun(recording), *self._told()]
        for naming in sorted(namings, key=itemgetter(0, 1)):
            name_before, late_ns = former.get(naming.pid, ("", 0))
            if naming.rank == _TOLD and naming.name == name_before and naming.at_ns < late_ns:
                continue
            if naming.parent:
                name = current.get(naming.parent, ANY_PROGRAM)
            elif naming.name is None:
                name = self._told_after(naming.pid, naming.at_ns)
            else:
                name = naming.name
            if naming.rank == _RENAMED:
                former[naming.pid] = current.get(naming.pid, ""), naming.at_ns + _LATE_NS
            if name or naming.parent:
                current[naming.pid] = name
                rows.append((naming.pid, naming.at_ns, name))
        return ProgramTable.of(rows)

    def _executed(self, batch: Batch, place: int) -> str | None:
        """Return the name of the file that was executed, if it is known."""
        info = self.known.objects.get(int(batch.object[place]))
        return program_of(info.name) if info is not None and info.name else None

    def _begun(self, recording: Recording) -> Iterator[_Naming]:
        """Yield the processes that began in the trace: they have the names of their parents."""
        for row in process_rows(recording):
            if row.start_ns is not None and row.parent:
                yield _Naming(row.start_ns, _BEGINS, row.pid, row.parent, None)

    def _told(self) -> Iterator[_Naming]:
        """Yield what the deltas tell; the first one also for the time before it."""
        named: dict[int, int] = {}
        for naming in self._namings:
            named[naming.pid] = min(naming.at_ns, named.get(naming.pid, LONGEST_NS))
        for pid, told in self.known.commands.items():
            first_ns, first = told[0]
            if first_ns <= named.get(pid, LONGEST_NS):
                yield _Naming(0, _BEGINS, pid, 0, first)
            for at_ns, name in told:
                yield _Naming(at_ns, _TOLD, pid, 0, name)

    def _told_after(self, pid: int, at_ns: int) -> str:
        """Return the name in the first delta after a time that tells one."""
        told = self.known.commands.get(pid, [])
        place = bisect_left(told, at_ns, key=lambda each: each[0])
        return told[place][1] if place < len(told) else ANY_PROGRAM


@frozen(eq=False)
class ProgramTable:
    """The names, and from when on which process had which, by process and time."""

    names: tuple[str, ...]
    _pids: Any
    _times: Any
    _keys: Any
    _places: Any

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, str]]) -> "ProgramTable":
        """Return the table of rows of process, time and name, in the order of the times."""
        numpy = load("numpy")
        # No name comes first: it is that of processes without a row.
        names = dict.fromkeys((ANY_PROGRAM, *(name for _, _, name in rows)))
        numbers = {name: place for place, name in enumerate(names)}
        pids = numpy.array([pid for pid, _, _ in rows], "i8")
        times = numpy.array([at_ns for _, at_ns, _ in rows], "i8")
        places = numpy.array([numbers[name] for _, _, name in rows], "i8")
        known_pids = numpy.unique(pids)
        keys = _keys(known_pids, times, pids, numpy.arange(1, len(rows) + 1))
        order = numpy.argsort(keys, kind="stable")
        return cls(tuple(numbers), known_pids, times, keys[order], places[order])

    def at(self, pids: Any, times: Any) -> Any:
        """Return the places of the names that processes had at some times."""
        numpy = load("numpy")
        if not len(self._keys):
            return numpy.zeros(len(pids), "i8")
        passed = numpy.searchsorted(self._times, times, side="right")
        wanted = _keys(self._pids, self._times, pids, passed)
        found = numpy.searchsorted(self._keys, wanted, side="right") - 1
        # The last row up to the time may be that of another process.
        width = len(self._times) + 1
        own = (found >= 0) & (self._keys[found] // width == wanted // width)
        own &= numpy.isin(pids, self._pids)
        return numpy.where(own, self._places[found], 0)


def _keys(known_pids: Any, times: Any, pids: Any, passed: Any) -> Any:
    """Return numbers that sort by process, and then by how many rows had passed."""
    return load("numpy").searchsorted(known_pids, pids) * (len(times) + 1) + passed


def _renames(batch: Batch, place: int) -> bool:
    """Return whether a `prctl` renames the process: its name is that of its first thread."""
    if batch.pid[place] != batch.tid[place]:
        return False
    if batch.has_registers[place]:
        return bool(batch.registers[place][0] == _PR_SET_NAME)
    return batch.text(place)[0].startswith("PR_SET_NAME")
