"""Objects, waits and threads: what the reader adds to the counts of calls."""

import time
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import attrs

from syswatch.base.classes import define, frozen
from syswatch.model.activity import ANY, Activity, ActivityKey, Objects, Sums
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.now import NOTHING_REPORTED, Now
from syswatch.model.objects import ObjectInfo
from syswatch.model.threads import Threads as ThreadTallies
from syswatch.model.threads import Wait
from syswatch.model.timeline import FINE_MS, Timeline
from syswatch.model.waits import WaitTally

from .activity import Growth, RowKey, Rows
from .activity_layout import FIRST_THREAD, NO_ACTIVITY
from .calls import CallNames
from .following import Following
from .now import Present
from .objects import Objects as KernelObjects
from .pipe_ends import PipeEnds
from .printer import Printer
from .program import Program
from .progress import InProgress, Progress
from .records import Records
from .reuse import Reuse
from .thread_records import ThreadRecord, ThreadRecords
from .threads import Threads
from .wait_counts import WaitCounts

_FINE_NS = FINE_MS * 1_000_000
# Readings may take this share of the time.
_SHARE = 20


class _Row(NamedTuple):
    """What a row is about, as it is sent."""

    key: ActivityKey
    wait: Wait


@frozen
class Taken:
    """What is known since the last time, as fields of a delta."""

    activity: Activity
    objects: Objects
    object_waits: Mapping[int, Histogram]
    threads: ThreadTallies
    timeline: Timeline
    now: Now
    # Of each call.
    waits: Mapping[str, WaitTally]
    ledger: Ledger


@define
class Details:
    """Reads rows, threads and objects."""

    following: Following
    names: CallNames
    records: Records
    printer: Printer
    # Returns what may be shown of an object.
    mask: Callable[[ObjectInfo], ObjectInfo]
    program: Program = attrs.field(init=False)
    objects: KernelObjects = attrs.field(init=False)
    _rows: Rows = attrs.field(init=False)
    _threads: Threads = attrs.field(init=False)
    thread_records: ThreadRecords = attrs.field(init=False)
    _waits: WaitCounts = attrs.field(init=False)
    _progress: Progress = attrs.field(init=False)
    _present: Present = attrs.field(init=False)
    _pipe_ends: PipeEnds = attrs.field(init=False)
    _reuse: Reuse = attrs.field(init=False)
    _known: dict[int, _Row] = attrs.field(factory=dict, init=False)
    _activity: dict[ActivityKey, Sums] = attrs.field(factory=dict, init=False)
    # Threads that had ended when their rows had been read already, and those read to the end.
    _ending: set[int] = attrs.field(factory=set, init=False)
    _finished: set[int] = attrs.field(factory=set, init=False)
    # When the last reading was, and how long it took.
    _read_ns: int = attrs.field(default=0, init=False)
    _cost_ns: int = attrs.field(default=0, init=False)
    _current: list[ThreadRecord] = attrs.field(factory=list, init=False)
    _looked_ns: int = attrs.field(default=0, init=False)
    # How many calls had no object or row of their own.
    _cut: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        """Map the tables into memory."""
        self.program = self.following.program
        records, redact = self.records, self.records.redact
        self.objects = KernelObjects(self.program, self.mask, records.owner_of, records.comm_of)
        self._rows = Rows(self.program)
        self._progress = Progress(self.names, self.objects)
        self._threads = Threads(records.pid_of, self._progress.of, redact)
        self.thread_records = ThreadRecords(self.program)
        self._waits = WaitCounts(self.program)
        self._present = Present(self._progress.of, self._threads, self.printer)
        self._pipe_ends = PipeEnds(self.objects)
        self._reuse = Reuse(self.program, self._rows, self.objects, self._waits)

    def rest_ns(self) -> int | None:
        """Return when to read again, from now; None if the intervals are long."""
        if not self._threads.history.fine:
            return None
        pause_ns = max(_FINE_NS - time.time_ns() % _FINE_NS, _SHARE * self._cost_ns)
        return max(pause_ns - (time.monotonic_ns() - self._read_ns), 0) if self._cost_ns else 0

    def read(
        self,
        ended: AbstractSet[int] = frozenset(),
        *,
        is_complete: bool = False,
        is_last: bool = False,
    ) -> None:
        """
        Add what has happened since the last reading.

        `ended` are the records of processes that had ended before.  The rows are read before the
        threads: a call that ends in between is found again in the next reading, and not twice.
        """
        began_ns = time.monotonic_ns()
        for number, key, growth in self._rows.read():
            # Calls for which no row was free are in the ledger.
            if number != NO_ACTIVITY:
                self._add(self._row(number, key), key, growth)
                self._reuse.note(number)
        self._looked_ns = began_ns = time.monotonic_ns()
        if not is_last:
            self.program.look()
        at_ns = time.monotonic_ns()
        self._current = [
            record
            for record in self.thread_records.read()
            if record.number not in self._finished
            and not (record.has_ended and self._is_incomplete(record, ended, is_last=is_last))
        ]
        offset_ns = self.following.clock.offset_ns()
        # First: the tracer may have been stopped for long.
        history = self._threads.history
        history.begin(at_ns, self.following.began_ns, len(self._current))
        self._threads.credit(
            self._current,
            at_ns,
            self._looked_ns,
            offset_ns,
            is_complete=is_complete or history.fine,
        )
        self._read_ns = time.monotonic_ns()
        self._cost_ns = self._read_ns - began_ns

    def take(self, *, everything: bool, is_last: bool = False) -> Taken:
        """Return what was added since the last time."""
        activity, self._activity = self._activity, {}
        offset_ns = self.following.clock.offset_ns()
        now = NOTHING_REPORTED
        object_waits: Mapping[int, Histogram] = {}
        if everything:
            object_waits, waits = self._histograms(activity)
            now = self._now(offset_ns, is_last=is_last)
            self._pipe_ends.describe()
            for row in self._reuse.step(self._current):
                self._known.pop(row, None)
        else:
            waits = _waits(activity, {})
        threads, timeline = self._threads.take()
        infos, ledger = self.objects.take(_used(activity, threads, now)), self._ledger(activity)
        return Taken(activity, infos, object_waits, threads, timeline, now, waits, ledger)

    def free(self, processes: AbstractSet[int]) -> None:
        """Let the program reuse the rows of threads and processes that have ended."""
        if not self._finished and not processes:
            return
        rows = self._rows.free(self._finished, processes)
        for row in rows:
            self._known.pop(row, None)
        self._reuse.forget(rows)
        self._threads.forget(self._finished)
        self._progress.forget(self._finished)
        self.thread_records.free(self._finished)
        self._ending -= self._finished
        self._finished.clear()

    def thread(self, number: int) -> ThreadRecord:
        """Return the record of a thread."""
        return self.thread_records.one(number)

    def in_progress(self, looked_ns: int) -> Iterator[tuple[ThreadRecord, InProgress]]:
        """Yield the threads that are in a call, after the program has looked at them."""
        for record in self.thread_records.read():
            call = self._progress.of(record, looked_ns)
            if call is not None:
                yield record, call

    def pid_of(self, thread: int) -> int:
        """Return the PID of a thread; 0 if it has no record of its own."""
        if thread < FIRST_THREAD:
            return 0
        return self.records.pid_of(self.thread_records.one(thread).process)

    def _is_incomplete(
        self, record: ThreadRecord, ended: AbstractSet[int], *, is_last: bool
    ) -> bool:
        """Return whether calls of a thread that has ended may not have been read."""
        if is_last or record.number in self._ending or record.process in ended:
            self._finished.add(record.number)
            return False
        self._ending.add(record.number)
        return True

    def _row(self, number: int, key: RowKey) -> _Row:
        known = self._known.get(number)
        if known is None:
            wait = self._wait_of(key.object, key.call)
            tid = ANY
            pid = self.records.pid_of(key.process)
            if key.thread >= FIRST_THREAD:
                record = self.thread_records.one(key.thread)
                pid, tid = self._threads.pid(record), record.tid
            known = _Row(ActivityKey(pid, tid, wait.object, wait.call), wait)
            self._known[number] = known
        return known

    def _wait_of(self, number: int, call: int) -> Wait:
        return Wait(self.objects.id_of(number), self.names.name(call).name)

    def _add(self, row: _Row, key: RowKey, growth: Growth) -> None:
        sums = Sums(
            growth.calls,
            growth.errors,
            growth.bytes_in,
            growth.bytes_out,
            growth.total_ns - growth.waiting_ns - growth.ready_ns,
            growth.waiting_ns,
            growth.ready_ns,
            growth.waits,
        )
        # Thousands of rows may have grown, and hardly two of them are one for people.
        known = self._activity.get(row.key)
        self._activity[row.key] = known + sums if known else sums
        self._threads.add_calls(key, row.wait, growth)
        self._pipe_ends.note(key, growth)

    def _histograms(
        self, activity: Activity
    ) -> tuple[Mapping[int, Histogram], Mapping[str, WaitTally]]:
        counts = self._waits.read()
        by_object: dict[int, Histogram] = {}
        for number, histogram in counts.by_object.items():
            known = self.objects.id_of(number)
            by_object[known] = by_object.get(known, Histogram()) + histogram
        by_call = {self.names.name(call).name: waits for call, waits in counts.by_call.items()}
        return by_object, _waits(activity, by_call)

    def _ledger(self, activity: Activity) -> Ledger:
        """Return what was not credited to an object or row of its own, and what is an estimate."""
        totals = self.program.totals
        cut = totals.crowded_objects + totals.uncredited
        before, self._cut = self._cut, cut
        # Without the time that threads were ready, that is part of their waits.
        estimates = sum(sums.waits for sums in activity.values()) if totals.without_delay else 0
        untracked = self.objects.known.take_untracked() + cut - before
        averaged_s = self._threads.history.take_averaged_s()
        return Ledger(
            untracked_objects=untracked, estimated_waits=estimates, averaged_seconds=averaged_s
        )

    def _now(self, offset_ns: int, *, is_last: bool) -> Now:
        if is_last:
            return Now(time.monotonic_ns() + offset_ns)
        return self._present.describe(self._current, self._read_ns, self._looked_ns, offset_ns)


def _used(activity: Activity, threads: ThreadTallies, now: Now) -> set[int]:
    """Return the IDs of the objects that tables are about."""
    used = {key.object for key in activity}
    used.update(wait.object for each in threads.values() for wait in each.times.waiting)
    used.update(thread.object for thread in now.threads.values())
    return used


def _waits(activity: Activity, histograms: Mapping[str, Histogram]) -> Mapping[str, WaitTally]:
    waits = {name: WaitTally(histogram=histogram) for name, histogram in histograms.items()}
    for key, sums in activity.items():
        if sums.waits or sums.ready_ns:
            tally = WaitTally(sums.waits, sums.waiting_ns, sums.ready_ns)
            waits[key.call] = waits[key.call] + tally if key.call in waits else tally
    return waits
