"""Detects when processes in a log begin and end, and when a PID is reused."""

from collections.abc import Iterable, Sequence
from operator import itemgetter

import attrs

from syswatch.base.classes import define
from syswatch.model.delta import Delta
from syswatch.model.process import ProcessTally
from syswatch.tracer.collector import Collector

from .grammar import LoggedCall, ParsedLine, ResumedCall, ThreadEnd, UnfinishedCall
from .line_format import BEGUN, PID, Row, number
from .row_loops import loops

# If the end of a process is forgotten, the next process with its PID is taken for the same one.
_MOST_ENDED = 1 << 18


@define
class ProcessLifetimes:
    """
    Tracks which processes have ended.

    Any line of a call, counted or not, shows that its process is alive.  Plain calls are counted
    together and out of order, so they are noted before the ends among them.
    """

    collector: Collector
    fallback_pid: int
    counts_all: bool = True
    ended: set[int] = attrs.field(factory=set, init=False)
    _rows: Sequence[Row] = attrs.field(factory=tuple, init=False)
    _newest: dict[int, int] | None = attrs.field(default=None, init=False)

    def begin_rows(self, rows: Sequence[Row], calls: Sequence[Row]) -> None:
        """Note rows, of which these are calls; lines that are not plain are noted one by one."""
        self._rows, self._newest = rows, None
        for digits in loops.different(loops.only_with(rows, BEGUN), PID):
            self._note_alive(self._pid_of(digits))
        if not self.ended and self.counts_all:
            return
        pids = set(map(self._pid_of, loops.different(calls, PID)))
        # The collector notes the processes of calls that are counted.
        for pid in pids & self.ended if self.counts_all else pids:
            self._note_alive(pid)

    def note_line(self, line: ParsedLine, index: int | None = None) -> None:
        """Note a line, which may be the one at an index among the rows."""
        if isinstance(line, ThreadEnd):
            self._end(line, index)
        elif isinstance(line, LoggedCall | UnfinishedCall | ResumedCall):
            self._note_alive(line.pid or self.fallback_pid)

    def add_part(self, delta: Delta, ended: Iterable[int]) -> Delta:
        """Return the counts of the next part of the log, with processes corrected."""
        processes = {pid: self._joined(pid, each) for pid, each in delta.processes.items()}
        self.ended -= delta.processes.keys()
        for pid in ended:
            self._note_end(pid)
        return attrs.evolve(delta, processes=processes)

    def _end(self, line: ThreadEnd, index: int | None) -> None:
        pid = line.pid or self.fallback_pid
        if not line.ending:
            return
        self._note_alive(pid)
        self.collector.describe(pid, ending=line.ending)
        self._note_end(pid)
        if index is not None and self._newest_call_by_pid().get(pid, 0) > index:
            self._note_alive(pid)

    def _note_end(self, pid: int) -> None:
        if len(self.ended) >= _MOST_ENDED:
            self.ended.pop()
        self.ended.add(pid)

    def _note_alive(self, pid: int) -> None:
        if pid in self.ended:
            self.ended.discard(pid)
            self.collector.begin(pid)
        else:
            self.collector.meet(pid)

    def _newest_call_by_pid(self) -> dict[int, int]:
        """Return the index of the newest plain call of each process."""
        if self._newest is None:
            in_order = sorted(loops.newest_by_pid(self._rows).items(), key=itemgetter(1))
            self._newest = {self._pid_of(digits): at for digits, at in in_order}
        return self._newest

    def _pid_of(self, digits: bytes) -> int:
        return number(digits) or self.fallback_pid

    def _joined(self, pid: int, tally: ProcessTally) -> ProcessTally:
        is_new = self.collector.meets(pid) or pid in self.ended
        # The part counted the process as new when it came across it first.
        return tally if is_new else attrs.evolve(tally, lives=max(tally.lives - 1, 0))
