"""The objects, waits, threads and slowest calls of a log; without them, it is parsed faster."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice

import attrs

from syswatch.base.classes import define
from syswatch.model.delta import Delta
from syswatch.model.entries import LOG_ENTRIES
from syswatch.model.objects import NO_OBJECT
from syswatch.model.threads import ThreadTally, Wait
from syswatch.model.times import SECOND_NS
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.known import KnownObjects
from syswatch.tracer.objects.masking import Masking

from .calls_cut_short import CallsCutShort, Half
from .grammar import LoggedCall, ParsedLine, ResumedCall, ThreadEnd, UnfinishedCall
from .left_in_place import may_leave_in_place
from .line_format import (
    DURATION,
    ERRNO,
    NAME,
    Row,
    name_of,
)
from .log_activity import LogActivity
from .log_clock import duration_text, nanoseconds
from .log_filter import LogFilter
from .log_objects import LogObjects
from .log_part import LogPart
from .log_timeline import is_brief
from .part_names import PartNames, named_objects
from .recorded_calls import RecordedCalls
from .row_dates import are_timed
from .samples import CallSample, LineSample
from .shown_objects import ShownObjects
from .slow_lines import SlowLines

# Samples of so many calls are kept at most until the slowest among them are found.
_MOST_TIMED = 4096


@define
class LogDetails:
    """Follows the calls of a log in the order of its lines."""

    filter: LogFilter
    fallback_pid: int = 0
    is_part: bool = False
    recorded: RecordedCalls | None = None
    is_long: bool = False
    _objects: LogObjects = attrs.field(init=False)
    _activity: LogActivity = attrs.field(init=False)
    _cut_short: CallsCutShort = attrs.field(factory=CallsCutShort, init=False)
    _slow: SlowLines = attrs.field(factory=SlowLines, init=False)
    _shown: ShownObjects = attrs.field(factory=ShownObjects, init=False)
    # Calls that may be slow, with their names and durations.
    _timed: list[tuple[str, int, CallSample | LineSample]] = attrs.field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        """Start with nothing."""
        known = KnownObjects(mask=Masking(self.filter.options, self.filter.redact))
        admits_success = self.filter.options.status != "failed"
        self._objects = LogObjects(
            self.filter.admits_name,
            self.fallback_pid,
            admits_success,
            known,
            self.is_part,
        )
        if self.recorded is not None:
            self._shown = ShownObjects(self.recorded.found)
        self._activity = LogActivity(
            self._objects,
            self.filter.options.status,
            self.filter.redact,
            self._shown.found,
            self._note_counted,
            self.is_long,
        )

    @property
    def is_crowded(self) -> bool:
        """Return whether so much was counted that it should be taken early."""
        return self._activity.is_crowded

    @property
    def is_settled(self) -> bool:
        """Return whether all rows have been counted."""
        return self._activity.is_settled

    def feed_rows(  # noqa: PLR0913  what is known of the rows
        self,
        rows: Sequence[Row],
        lines: Sequence[bytes],
        begun: Sequence[int],
        origin_s: int,
        first_number: int,
        feed_other: Callable[[int], None],
    ) -> None:
        """Take rows, of which those at some indexes are first halves; others to `feed_other`."""
        is_timed = are_timed(rows)
        self._activity.begin_rows(origin_s)
        slow = [at for at in self._slow.candidates(rows) if self._admits(rows[at])]
        shown = {*slow, *_newest_calls(rows)}
        self._shown.expect({first_number + at: rows[at] for at in shown})
        begin = first_begun = 0

        def note_until(index: int) -> None:
            nonlocal begin, first_begun
            self._note_times(rows[begin:index], lines[begin:index], origin_s)
            next_begun = bisect_left(begun, index, first_begun)
            halves = begun[first_begun:next_begun]
            self._cut_short.begin_rows(rows, halves, origin_s, self.fallback_pid)
            begin, first_begun = index, next_begun

        def feed(index: int) -> None:
            # If this is the end of a thread, another one may get its ID on the following lines.
            if is_timed and (b"+++ " in lines[index] or b"= ?" in lines[index]):
                note_until(index)
            feed_other(index)

        self._objects.feed_rows(rows, lines, feed)
        for at in slow:
            row = rows[at]
            sample = LineSample(lines[at], origin_s, first_number + at)
            self._timed.append((name_of(row[NAME]), nanoseconds(row[DURATION]), sample))
        self._find_slow()
        if is_timed:
            note_until(len(rows))
        self._activity.note_rows(len(rows))
        self._activity.count_if_due()

    def expect(self, text: bytes) -> None:
        """Prepare for text that is parsed next: that of a call that leaves bytes in place."""
        if not self._objects.leaves_in_place and may_leave_in_place(text):
            self._objects.leaves_in_place = True
            self._activity.count_rows()
            self._objects.drop_groups()

    def count_if_due(self) -> None:
        """Count the calls that were fed one by one, from time to time."""
        self._activity.count_if_due()

    def _note_counted(self) -> None:
        self._shown.note_counted()
        self._shown.forget_others(self._slow.line_numbers())
        if self.recorded is None:
            self._shown.found.clear()

    def objects_by_line(self) -> Mapping[int, int]:
        """Return the objects of the newest calls that have been counted."""
        return self._shown.by_line()

    def _note_times(self, rows: Sequence[Row], lines: Sequence[bytes], origin_s: int) -> None:
        self._activity.clocks.note_rows(rows, lines, origin_s, self.fallback_pid)

    def note_brief(self, calls: Sequence[Row]) -> None:
        """Add the brief calls among those that were fed and are counted."""
        self._activity.timeline.add_brief(calls, self.fallback_pid)

    def start_of(self, call: LoggedCall, at: int | None) -> int | None:
        """Return when a call began that has not returned: `at` is when its thread has ended."""
        half = self._cut_short.ending(call.pid or self.fallback_pid, at, call.name)
        return at if half is None else half.began_ns

    def feed_call(self, call: LoggedCall, began_ns: int | None, *, counted: bool) -> int:
        """Take a call that was parsed, and when it began; return its object."""
        if not call.returned:
            # If this is all of the call, its thread has not ended yet.
            self._end_cut_short(call.pid or self.fallback_pid, began_ns, call.name)
            return self._objects.begun_object(call) if counted else NO_OBJECT
        self.expect(call.args)
        pid = call.pid or self.fallback_pid
        # A call in two halves is on none of its lines as a whole.
        self._activity.clocks.note(pid, began_ns, call.duration_ns)
        self._activity.note_rows(1)
        if counted and began_ns is not None and call.duration_ns is not None:
            self._note_if_brief(pid, began_ns, call.duration_ns)
        return self._objects.feed_call(call, began_ns, counted=counted)

    def _note_if_brief(self, pid: int, began_ns: int, duration_ns: int) -> None:
        if is_brief(duration_text(duration_ns)):
            self._activity.timeline.add_short(pid, began_ns, duration_ns)

    def note_call(self, call: LoggedCall, sample: CallSample) -> None:
        """Note a call that may be among the slowest, and how it is shown."""
        if call.returned and call.duration_ns is not None:
            self._timed.append((call.name, call.duration_ns, sample))
            if len(self._timed) > _MOST_TIMED:
                self._find_slow()

    def feed_line(self, line: ParsedLine, at: int | None, line_number: int) -> None:
        """Take a line that was parsed, and its time; a call that is complete is fed as such."""
        match line:
            case UnfinishedCall():
                self._cut_short.begin(line.pid or self.fallback_pid, at, line)
                self._objects.feed_first_half(line)
            case LoggedCall():
                self._activity.clocks.note(line.pid or self.fallback_pid, at, line.duration_ns)
                if not line.returned:
                    self._cut_short.begin(line.pid or self.fallback_pid, at, line)
            case ResumedCall():
                self._activity.clocks.note(line.pid or self.fallback_pid, at)
            case ThreadEnd():
                pid = line.pid or self.fallback_pid
                # The newest first half may be that of a call that has returned.
                if not self._activity.clocks.has_passed(pid, self._cut_short.begun_ns(pid, at)):
                    self._end_thread(pid, at, line_number)
                self._cut_short.forget(pid, at)
                # If a thread has executed a program, the process continues without that ID.
                self._objects.end_process(line.successor or pid)
                self._activity.clocks.end(pid)

    def end_in_progress(self, first: UnfinishedCall, end_ns: int, line_number: int) -> None:
        """Take a first half whose second one has not come when the log ends."""
        pid = first.pid or self.fallback_pid
        half = self._cut_short.pending(pid, first.name)
        if half is None:
            return
        # `strace -t` writes whole seconds, in which the call before may have ended later.
        is_rounded = half.began_ns % SECOND_NS == 0
        latest_ns = half.began_ns + (SECOND_NS - 1 if is_rounded else 0)
        # If its second half was lost, the thread has made other calls since.
        if not self._activity.clocks.has_passed(pid, latest_ns):
            self._activity.clocks.note(pid, half.began_ns)
            self._end_cut_short(pid, end_ns, first.name)
            self._record(pid, half, line_number)

    def _end_thread(self, pid: int, end_ns: int | None, line_number: int) -> None:
        """Count and record the call in which a thread has ended."""
        half = self._end_cut_short(pid, end_ns)
        if half is not None and not half.is_whole_line:
            self._record(pid, half, line_number)

    def _end_cut_short(self, pid: int, end_ns: int | None, name: str = "") -> Half | None:
        """Count the time of the call, of this name, in which a thread ends; return its half."""
        half = self._cut_short.ending(pid, end_ns, name)
        if half is None or end_ns is None:
            return None
        self._cut_short.forget(pid, end_ns)
        call = half.call(pid)
        if self.filter.admits(call):
            found = self._objects.begun_object(call)
            self._activity.add_cut_short(pid, Wait(found, call.name), half.began_ns, end_ns)
        return half

    def _record(self, pid: int, half: Half, line_number: int) -> None:
        call = half.call(pid)
        if self.recorded is not None and self.filter.admits(call):
            found = self._objects.begun_object(call)
            self.recorded.add_call(self.filter.shown(call), half.began_ns, found, line_number)

    @property
    def times(self) -> Mapping[int, tuple[int, int]]:
        """Return the first and the last time of each thread."""
        return self._activity.clocks.times

    @property
    def halves(self) -> Mapping[int, Half]:
        """Return the newest first half of each thread."""
        return self._cut_short.halves

    @property
    def names(self) -> PartNames:
        """Return the names of the processes of this part of a log."""
        return self._objects.processes.part_names

    def begin_part(self, part: LogPart, shift_s: int) -> None:
        """Add the times of the next part of the log, before its deferred lines."""
        self._activity.clocks.add_part(part.times, shift_s * SECOND_NS)
        self._cut_short.begin_part(part.halves, shift_s * SECOND_NS)

    def add_part(self, part: LogPart, shift_s: int) -> LogPart:
        """Add the names of the next part of the log; return it with those it does not know."""
        ended = frozenset(part.ended)
        self._activity.clocks.end_part(part.times, shift_s * SECOND_NS, ended)
        self._cut_short.end_part()
        self._activity.count_rows()
        self._objects.drop_groups()
        processes = self._objects.processes
        names = part.names or PartNames()
        processes.meet_part(names)
        owner_of = partial(processes.owner_in_part, names)
        delta, changed = named_objects(part.delta, owner_of, self._objects.known.mask)
        threads = {
            pid: tally if tally.comm else self._named(tally, owner_of(pid))
            for pid, tally in delta.threads.items()
        }
        processes.add_part(names, ended)
        delta = attrs.evolve(delta, threads=threads)
        samples, recorded = part.samples.renamed(changed), part.recorded.renamed(changed)
        return attrs.evolve(part, delta=delta, samples=samples, recorded=recorded)

    def _named(self, tally: ThreadTally, owner: Owner) -> ThreadTally:
        return attrs.evolve(tally, comm=self.filter.redact(owner.comm))

    def add_to(self, delta: Delta) -> Delta:
        """Return a delta with everything since the last time."""
        self._find_slow()
        delta = self._activity.add_to(delta)
        slowest = self._slow.take(self.filter.shown, self.fallback_pid, self._shown.by_line())
        return attrs.evolve(delta, slowest=slowest)

    def _find_slow(self) -> None:
        """Look for slow calls in the order of lines: of equally slow ones, the first count."""
        for name, duration_ns, sample in sorted(self._timed, key=lambda each: each[2].line_number):
            self._slow.add(name, duration_ns, sample)
        self._timed.clear()

    def _admits(self, row: Row) -> bool:
        return self.filter.admits_row(row[NAME], row[ERRNO])


def _newest_calls(rows: Sequence[Row]) -> Iterable[int]:
    """Return the indexes of as many calls as the log view keeps."""
    return islice((at for at in range(len(rows) - 1, -1, -1) if rows[at][NAME]), LOG_ENTRIES)
