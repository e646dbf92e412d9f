"""The lives of the processes in a log: how each ended, and whether its number was given again."""

from collections.abc import Iterable, Sequence
from operator import itemgetter

import attrs

from syswatch.model.delta import Delta
from syswatch.model.process import ProcessTally
from syswatch.tracer.collector import Collector

from .grammar import LoggedCall, ParsedLine, ResumedCall, ThreadEnd, UnfinishedCall
from .line_format import Row, number

# A process whose end is forgotten passes for the one that has its number later.
_MOST_ENDED = 1 << 18


@attrs.define
class ProcessLifetimes:
    """
    Follows which processes have ended.

    Every line of a call is a sign of life, counted or not.  Lines that are plain calls are counted
    together and not in turn, so they are announced before the ends among them.
    """

    collector: Collector
    fallback_pid: int
    shows_all: bool = True
    ended: set[int] = attrs.field(factory=set, init=False)
    _rows: Sequence[Row] = attrs.field(factory=tuple, init=False)
    _newest: dict[int, int] | None = attrs.field(default=None, init=False)

    def announce(self, rows: Sequence[Row], distinct: Iterable[Row]) -> None:
        """
        Take rows, of which only those that are no plain calls are passed on their own.

        Most rows are the same as another; `distinct` holds each once.
        """
        self._rows, self._newest = rows, None
        if not self.ended and self.shows_all:
            return
        pids = {self._pid_of(pid) for pid in {row[0] for row in distinct if row[2] or row[4]}}
        # Calls that are counted are a sign of life in themselves.
        for pid in pids & self.ended if self.shows_all else pids:
            self._live(pid)

    def pass_line(self, line: ParsedLine, index: int | None = None) -> None:
        """Take a line on its own; it may be the one at an index among the rows."""
        if isinstance(line, ThreadEnd):
            self._end(line, index)
        elif isinstance(line, LoggedCall | UnfinishedCall | ResumedCall):
            self._live(line.pid or self.fallback_pid)

    def pass_row(self, row: Row) -> None:
        """Take a row that is the second half of a call."""
        self._live(self._pid_of(row[0]))

    def adopt(self, delta: Delta, ended: Iterable[int]) -> Delta:
        """Return what was counted in the next part of the log, with the lives that it adds."""
        processes = {pid: self._adopted(pid, each) for pid, each in delta.processes.items()}
        self.ended -= delta.processes.keys()
        for pid in ended:
            self._note_end(pid)
        return attrs.evolve(delta, processes=processes)

    def _end(self, line: ThreadEnd, index: int | None) -> None:
        pid = line.pid or self.fallback_pid
        if not line.ending:
            return
        self._live(pid)
        self.collector.describe(pid, ending=line.ending)
        self._note_end(pid)
        if index is not None and self._newest_calls().get(pid, 0) > index:
            self._live(pid)

    def _note_end(self, pid: int) -> None:
        if len(self.ended) >= _MOST_ENDED:
            self.ended.pop()
        self.ended.add(pid)

    def _live(self, pid: int) -> None:
        if pid in self.ended:
            self.ended.discard(pid)
            self.collector.begin(pid)
        else:
            self.collector.meet(pid)

    def _newest_calls(self) -> dict[int, int]:
        """Return the index of the newest plain call of each process."""
        if self._newest is None:
            newest = {row[0]: at for at, row in enumerate(self._rows) if row[2] or row[4]}
            in_order = sorted(newest.items(), key=itemgetter(1))
            self._newest = {self._pid_of(digits): at for digits, at in in_order}
        return self._newest

    def _pid_of(self, digits: bytes) -> int:
        return number(digits) or self.fallback_pid

    def _adopted(self, pid: int, tally: ProcessTally) -> ProcessTally:
        is_new = self.collector.meets(pid) or pid in self.ended
        # The part took the first process that it saw for a new one.
        return tally if is_new else attrs.evolve(tally, lives=max(tally.lives - 1, 0))
