"""
The sums of the calls in a range of time, in the form that tracers report them.

A call belongs to the range in which it ended; the time that a thread spent in it, to the ranges
that it touches.  So the sums of several ranges that follow each other are those of all of them.
"""

from collections.abc import Callable
from functools import partial, reduce
from operator import add
from typing import Any

import attrs

from syswatch.base.classes import define
from syswatch.model.activity import Objects
from syswatch.model.delta import Delta, Span
from syswatch.model.ledger import Ledger
from syswatch.model.now import NOTHING_REPORTED, Now
from syswatch.model.process import ProcessTally
from syswatch.model.threads import ThreadTally
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording import segments

from .batch import Batch, batches
from .ends import process_ends, until_ends
from .files import reason_of
from .in_progress import InProgress, with_waiting
from .kept import failures_of, log_of, slowest_of
from .losses import lost_in
from .opening import Recording, Segment
from .parquet import damages
from .recorded import RecordedDeltas
from .spent import Cut, calls_of_threads, in_calls, outside_of_calls, spent
from .tallies import sums_of

# Returns a mask of the calls of a batch that are counted.
Selection = Callable[[Batch, Objects], Any]
# Calls are in a segment after so long, if the machine is not overloaded.
_WRITTEN_NS = 2 * SECOND_NS
# A history may be reported so late.
_LATEST_NS = 5 * SECOND_NS


@define
class Folder:
    """Folds ranges of one recording; what it has found out before is not read again."""

    recording: Recording
    deltas: RecordedDeltas = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Share what the deltas tell."""
        self.deltas = RecordedDeltas(self.recording.folder, self.recording.damaged)

    def last_ns(self) -> int:
        """Return the time of the last call or delta."""
        self.deltas.scan()
        ends = [each.extent.last_end_ns for each in self.recording.segments() if each.extent]
        return max([self.recording.about.ended_ns or 0, self.deltas.last_ns(), *ends])

    def fold(
        self,
        first_ns: int = 0,
        last_ns: int = LONGEST_NS,
        *,
        per_process: bool = False,
        selection: Selection | None = None,
    ) -> Delta:
        """
        Return the sums of the range from `first_ns` up to, but not including, `last_ns`.

        A selection limits what is counted, but not where the time of threads went.
        """
        cut = self._within_trace(first_ns, last_ns)
        total = Delta(span=Span(cut.first_ns, cut.last_ns))
        in_progress = InProgress(self._now())
        within = self._times_within(cut)

        def sums(batch: Batch) -> Delta:
            ended = batch.where((batch.end >= first_ns) & (batch.end < last_ns) & batch.returned)
            if selection is not None:
                ended = ended.where(selection(ended, self.deltas.known.objects))
            return _sums(ended, per_process=per_process)

        for segment in self.recording.touching(first_ns, last_ns):
            total += self._segment(segment, in_progress.note, sums, within)
        total += within(in_progress.calls()) + self._outside(cut)
        lost = Ledger(lost_events=lost_in(self.recording, first_ns, last_ns))
        shown = sum(tally.count for tally in total.calls.values()) - len(total.log)
        total += Delta(ledger=lost + Ledger(sampled_entries=max(shown, 0)))
        total += self.deltas.facts(first_ns, last_ns)
        return self._named(total)

    def of_calls(self, part: Callable[[Batch], Delta]) -> Delta:
        """
        Return the sum of a function of all calls, with their raw arguments.

        Those that have not returned are among them, without arguments if they are not recorded.
        """
        in_progress = InProgress(self._now())
        total = Delta()
        for segment in self.recording.segments():
            total += self._segment(segment, in_progress.note, part, registers=True)
        return total + part(in_progress.calls())

    def complete(self) -> tuple[int, int]:
        """Return from when on and until when all calls that ended can be read."""
        self.recording.refresh()
        known = self.recording.segments()
        # The first ones are removed if only the newest part is kept.  Some only have losses.
        is_cut = bool(known) and 0 not in {
            number
            for kind in (segments.CALLS, segments.LOSSES)
            for number in segments.numbers_in(self.recording.folder, kind)
        }
        first_ns = known[0].extent.first_end_ns if is_cut and known[0].extent else 0
        if self.recording.about.ended_ns is not None:
            return first_ns, LONGEST_NS
        self.deltas.scan()
        # One that began before is in progress, or recorded.
        return first_ns, self._now().at_ns

    def _now(self) -> Now:
        """Return what the threads were doing when the recording was last complete."""
        if self.recording.about.ended_ns is not None:
            return NOTHING_REPORTED
        ends = [each.extent.last_end_ns for each in self.recording.segments() if each.extent]
        return self.deltas.now_at(max([self.deltas.last_ns() - _WRITTEN_NS, *ends]))

    def _times_within(self, cut: Cut) -> Callable[[Batch], Delta]:
        """Return a function of calls: where the time in them went, within a range."""
        known, ends = self.deltas.known, process_ends(self.recording)
        is_of_log = bool(self.recording.about.logs)

        def times(batch: Batch) -> Delta:
            batch = until_ends(batch, ends, known.thread_ends)
            calls = with_waiting(batch, known.last_calls, is_of_log=is_of_log)
            return spent(cut, partial(in_calls, calls))

        return times

    def _within_trace(self, first_ns: int, last_ns: int) -> Cut:
        """Return the part of a range in which the trace was running."""
        first_ns = max(first_ns, self.recording.about.begun_ns)
        return Cut.of(first_ns, max(min(last_ns, self.last_ns()), first_ns))

    def _segment(
        self,
        segment: Segment,
        note: Callable[[Batch], None],
        *parts: Callable[[Batch], Delta],
        registers: bool = False,
    ) -> Delta:
        """Return the sum of some parts of a segment, or nothing if it is damaged."""
        total = Delta()
        for batch in batches(self.recording, segment, registers=registers):
            try:
                note(batch)
                total += reduce(add, (part(batch) for part in parts))
            except damages() as error:
                self.recording.leave_out(segment, reason_of(error))
                return Delta()
        # If it turned out to be damaged, none of it counts.
        return Delta() if self.recording.is_damaged(segment) else total

    def _outside(self, cut: Cut) -> Delta:
        """Return the time of the threads outside of calls."""
        total = Delta()
        about = self.recording.about
        # What was traced before the oldest call that is kept is in the first interval, too.
        since_ns = about.begun_ns if about.traced_since_ns is None else about.traced_since_ns
        trace = Cut.of(since_ns, self.last_ns())
        for recorded in self.deltas.timelines(cut.first_ns, cut.last_ns + _LATEST_NS):
            total += spent(cut, partial(outside_of_calls, recorded, trace))
        return total

    def _named(self, total: Delta) -> Delta:
        """Return sums together with the names of what occurs in them."""
        known = self.deltas.known
        return attrs.evolve(
            total,
            objects=_described(total, known.objects),
            threads={tid: self._thread(tid, tally) for tid, tally in total.threads.items()},
            processes={pid: self._process(pid, tally) for pid, tally in total.processes.items()},
        )

    def _thread(self, tid: int, tally: ThreadTally) -> ThreadTally:
        name = self.deltas.known.threads.get(tid)
        if name is None:
            return tally
        return attrs.evolve(tally, pid=tally.pid or name.pid, comm=tally.comm or name.comm)

    def _process(self, pid: int, tally: ProcessTally) -> ProcessTally:
        name = self.deltas.known.processes.get(pid)
        if name is None:
            return tally
        return attrs.evolve(tally, parent=tally.parent or name.parent, comm=tally.comm or name.comm)


def _sums(ended: Batch, *, per_process: bool) -> Delta:
    """Return the sums and the samples of calls that have returned."""
    if not len(ended):
        return Delta()
    return attrs.evolve(
        sums_of(ended, per_process=per_process),
        slowest=slowest_of(ended),
        failures=failures_of(ended),
        log=log_of(ended),
        threads=calls_of_threads(ended),
    )


def _described(total: Delta, known: Objects) -> Objects:
    used: set[int] = {key.object for key in total.activity} | set(total.object_waits)
    used |= {wait.object for tally in total.threads.values() for wait in tally.times.waiting}
    used |= {call.object for calls in total.slowest.by_call.values() for call in calls}
    used |= {entry.object for entry in total.log}
    return {each: known[each] for each in used if each in known}
