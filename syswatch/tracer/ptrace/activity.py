"""Where the time of the target goes: rows, waits, threads and calls in progress."""

import time
from collections import defaultdict
from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram, bucket_of
from syswatch.model.ledger import Ledger
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, FINE_S, Timeline
from syswatch.model.times import SECOND_NS
from syswatch.tracer.clock import Clock
from syswatch.tracer.objects import effects
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Descriptors

from .abi import has_pending_stop
from .account import Account, Bins, Spent
from .calls import CallKind, Effect, Return
from .observed import Observed
from .pipe_ends import PipeEnds
from .reuse import Reuse
from .rows import Row
from .schedule import Schedule, Usage
from .subjects import Subjects
from .threads import SumsKey, Thread, Threads
from .waits import LONG_NS, Before, Split

# The kernel reports new threads and execve by events, before the call returns.
_TOLD_BY_EVENTS = frozenset({Effect.CLONE, Effect.EXEC})
_NS_IN_MS = 1_000_000
# After a wait, so many calls of the same kind are looked at from their entry.
_WATCHED_CALLS = 8
# A thread that does nothing new is credited once a second; of very many, 500 a second.
_PATIENCE_NS = 950_000_000
_PAUSE_NS = 2_000_000
# Of more threads the history has long intervals.
_FEW_THREADS = 100


@define
class Activity:
    """Collects the part of a delta that tells where the time goes."""

    threads: Threads
    subjects: Subjects
    redact: Callable[[str], str] = str
    schedule: Schedule = attrs.field(factory=Schedule, init=False)
    _rows: dict[ActivityKey, Sums] = attrs.field(factory=dict, init=False)
    _waits: dict[int, dict[int, int]] = attrs.field(
        factory=lambda: defaultdict(lambda: defaultdict(int)), init=False
    )
    _tallies: dict[int, ThreadTally] = attrs.field(factory=dict, init=False)
    _bins: dict[int, dict[int, ThreadTimes]] = attrs.field(
        factory=lambda: defaultdict(dict), init=False
    )
    _pipes: PipeEnds = attrs.field(init=False)
    _reuse: Reuse = attrs.field(init=False)
    _estimates: int = attrs.field(default=0, init=False)
    _began_ns: int = attrs.field(factory=time.monotonic_ns, init=False)
    _busy_ns: int = attrs.field(factory=time.process_time_ns, init=False)
    # The calls until the last flush, and the CPU time of the tracer for one call.
    _calls: int = attrs.field(default=0, init=False)
    _tracer_ns: int = attrs.field(default=0, init=False)
    _is_coarse: bool = attrs.field(default=False, init=False)
    _bins_of: Bins = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Share the known objects, and date what ends before the first flush."""
        self._bins_of = Bins(FINE_MS * _NS_IN_MS, Clock().offset_ns())
        self._pipes = PipeEnds(self.descriptors.known)
        self._reuse = Reuse(self.subjects)

    def start(self) -> None:
        """Start to measure what the tracer needs."""
        self._busy_ns = time.process_time_ns()

    @property
    def descriptors(self) -> Descriptors:
        """The descriptor tables of all threads."""
        return self.subjects.descriptors

    def add_thread(self, thread: Thread, parent: Thread | None, *, is_new: bool) -> None:
        """Start the account of a thread, and give it the descriptors of its parent."""
        if parent is None:
            self.descriptors.joined(thread.tid, thread.process.pid)
        else:
            call = parent.call
            shares = False
            if call is not None and call.effect is Effect.CLONE:
                shares = self.subjects.observe(parent, call).shares_files
            self.descriptors.forked(parent.tid, thread.tid, shares=shares)
        self.refresh(thread)
        now_ns = time.monotonic_ns()
        usage = (None if is_new else self.schedule.read(thread.tid)) or Usage()
        # It begins to run without having been resumed.
        thread.account = Account(now_ns, usage, Before(usage, now_ns, resumed=-1))

    def refresh(self, thread: Thread) -> None:
        """Let the loop use the present descriptor table of a thread."""
        if self.subjects.follows_tables:
            thread.open = self.descriptors.table(thread.tid).open

    def executed(self, thread: Thread, former_tid: int) -> None:
        """Handle execve: what it closes, and the new ID of the thread that called it."""
        self.descriptors.executed(former_tid, thread.tid)
        self.refresh(thread)
        self.schedule.forget(former_tid)
        self.schedule.forget(thread.tid)
        self.subjects.forget(thread.process.pid)

    def ended(self, thread: Thread, late_ns: int) -> None:
        """Close the account of a thread that has ended, at most `late_ns` ago."""
        if not self._tracer_ns:
            self._measure_tracer()
        now_ns, account = time.monotonic_ns(), thread.account
        if account is not None and thread.call is not None and thread.call.effect is Effect.EXIT:
            # More likely its end had not been reported than that it took so long.
            now_ns = max(now_ns - late_ns, thread.entered_ns, account.at_ns)
        self.settle_thread(thread, now_ns, has_ended=True)
        self.descriptors.ended(thread.tid)
        self.schedule.forget(thread.tid)
        if thread.tid == thread.process.pid:
            self.subjects.forget(thread.process.pid)

    def untimed_call(self, thread: Thread, call: CallKind, number: int, now_ns: int) -> None:
        """Credit a thread with the known part of a call that began at an unknown time."""
        if now_ns - thread.entered_ns >= LONG_NS:
            self._credit_long_call(thread, call, number, now_ns)
        if thread.account is not None:
            thread.account.untimed_ns += now_ns - thread.entered_ns

    def closing(self, thread: Thread, call: CallKind) -> None:
        """Handle the entry to a call that closes descriptors before it returns."""
        observed = self.subjects.observe(thread, call)
        thread.object = self.subjects.begun(observed)
        if self.subjects.follows_tables:
            effects.began(self.descriptors, observed)
            self.refresh(thread)

    def returned(self, thread: Thread, call: CallKind, returned: Return) -> Observed:
        """Apply what a call has changed; return it, to find out its object."""
        observed = self.subjects.observe(thread, call, returned)
        if (
            call.changes_tables
            and self.subjects.follows_tables
            and call.effect not in _TOLD_BY_EVENTS
        ):
            effects.returned(self.descriptors, observed)
            self.refresh(thread)
        return observed

    def object_of(self, observed: Observed) -> int:
        """Return the object of a call that has returned."""
        thread, kind = observed.thread, observed.kind
        if kind.found_at_entry and thread.call is kind:
            return thread.object
        return self.subjects.returned(observed)

    def before_call(self, thread: Thread, call: CallKind) -> None:
        """Read the statistics of a thread at the entry to a call that is likely to wait."""
        left = thread.watched.pop(call) - 1
        if left:
            thread.watched[call] = left
        usage = self.schedule.read(thread.tid)
        if usage is not None and thread.account is not None:
            thread.account.before = Before(
                usage, time.monotonic_ns(), thread.resumed(at_exit=False)
            )

    def divide(self, thread: Thread, call: CallKind, now_ns: int, late_ns: int) -> int:
        """
        Divide the time of a call that was not short until its exit; return when it ended.

        Its thread has been stopped at the exit for at most `late_ns`.
        """
        account = thread.account
        if account is None or not call.traced:
            return now_ns
        usage = self.schedule.read(thread.tid)
        divided = thread.divided = account.split(thread, usage, now_ns, late_ns)
        if usage is not None:
            account.before = Before(usage, now_ns, thread.resumed(at_exit=False) + 1)
        if divided.waited or divided.is_estimate:
            thread.watched[call] = _WATCHED_CALLS
        ended_ns = now_ns - divided.stopped_ns
        if ended_ns - thread.entered_ns < LONG_NS:
            account.call_was_short()
        return ended_ns

    def long_call(self, thread: Thread, call: CallKind, row: Row, ended_ns: int) -> Split:
        """Count how long a call that was not short waited."""
        waited = thread.divided
        self._credit_long_call(thread, call, row.object, ended_ns)
        row.add_wait(waited.waiting_ns, waited.ready_ns)
        self._estimates += waited.is_estimate
        if waited.waited:
            self._waits[row.object][bucket_of(waited.waiting_ns)] += 1
        return waited

    def _credit_long_call(self, thread: Thread, call: CallKind, number: int, ended_ns: int) -> None:
        """Credit a thread with a call that was divided."""
        if thread.account is not None:
            wait = Wait(number, call.name)
            thread.account.call_returned(thread.entered_ns, ended_ns, wait, thread.divided)

    def settle(self, now_ns: int, offset_ns: int, *, is_last: bool) -> None:
        """Credit all threads with the time until now."""
        is_long = now_ns - self._began_ns >= FINE_S * SECOND_NS
        # Short intervals of very many threads would not be kept, and take long to compute.
        if not self._is_coarse and (is_long or len(self.threads) > _FEW_THREADS):
            self._lengthen_bins()
        self._bins_of = Bins((COARSE_MS if self._is_coarse else FINE_MS) * _NS_IN_MS, offset_ns)
        patience_ns = max(_PATIENCE_NS, _PAUSE_NS * len(self.threads))
        self._measure_tracer()
        self.subjects.paths.forget()
        for thread in self.threads:
            account = thread.account
            is_due = account is not None and account.is_due(thread.entered_ns, now_ns, patience_ns)
            if is_last or thread.rows or is_due:
                self.settle_thread(thread, now_ns)

    def _lengthen_bins(self) -> None:
        """Use long intervals from now on, also for the threads that ended since the last flush."""
        self._is_coarse = True
        bins = Timeline(self._bins, FINE_MS).in_length(COARSE_MS)
        self._bins = defaultdict(dict, {at: dict(threads) for at, threads in bins.items()})

    def _measure_tracer(self) -> None:
        """Find out how much CPU time the tracer needs for a call."""
        busy_ns, self._busy_ns = self._busy_ns, time.process_time_ns()
        calls, self._calls = self._calls, self.threads.calls
        self._tracer_ns = (self._busy_ns - busy_ns) // max(self._calls - calls, 1)

    def settle_thread(self, thread: Thread, now_ns: int, *, has_ended: bool = False) -> None:
        """Close the rows of a thread, and credit it with the time until now."""
        spent_ns, calls, errors = self._close_rows(thread)
        account = thread.account
        if account is None:
            return
        if thread.call is not None and thread.call.plain_name == "exit":
            # The kernel reports the end of a first thread when all others have ended.
            now_ns = max(min(now_ns, thread.entered_ns), account.at_ns)
        returned, thread.settled_calls = thread.calls - thread.settled_calls, thread.calls
        # Before the statistics are read, so that these cover the whole call.
        has_returned = (
            not has_ended
            and thread.call is not None
            and now_ns - thread.entered_ns >= LONG_NS
            and has_pending_stop(thread.tid)
        )
        usage = None if has_ended else self.schedule.read(thread.tid)
        in_progress_ns = self._credit_progress(thread, usage, now_ns, has_returned=has_returned)
        suspended_ns = thread.take_suspended_ns(now_ns)
        spent = Spent(returned, spent_ns, usage, self._tracer_ns * returned, suspended_ns)
        bins = account.settle(now_ns, spent, in_progress_ns, self._bins_of)
        times = ThreadTimes(waiting=account.take_moves())
        for number, part in bins.items():
            times += part
            former = self._bins[number].get(thread.tid)
            self._bins[number][thread.tid] = part if former is None else former + part
        tally = ThreadTally(
            thread.process.pid, self.redact(thread.comm), times, calls, errors, has_ended
        )
        before = self._tallies.get(thread.tid)
        self._tallies[thread.tid] = tally if before is None else before + tally

    def _credit_progress(
        self, thread: Thread, usage: Usage | None, now_ns: int, *, has_returned: bool
    ) -> int:
        """Credit a thread with its call in progress; return how long the call has lasted."""
        account, call = thread.account, thread.call
        if account is None:
            return 0
        if call is None:
            if usage is not None:
                resumed = thread.resumed(at_exit=thread.at_exit)
                account.before = Before(usage, now_ns, resumed)
            return 0
        if not call.traced or not thread.selected:
            return 0
        elapsed_ns = max(now_ns - thread.entered_ns, 0)
        if elapsed_ns >= LONG_NS:
            late_ns = elapsed_ns if has_returned else None
            waited = account.split(thread, usage, now_ns, late_ns)
            elapsed_ns -= waited.stopped_ns
            wait = Wait(self.subjects.begun(self.subjects.observe(thread, call)), call.name)
            account.call_goes_on(thread.entered_ns, now_ns - waited.stopped_ns, wait, waited)
        return elapsed_ns

    def _close_rows(self, thread: Thread) -> tuple[int, int, int]:
        """Close the rows of a thread; return the time in calls, their number and the errors."""
        rows: dict[SumsKey, Row]
        rows, thread.rows = thread.rows, {}
        spent_ns = calls = errors = 0
        for row in rows.values():
            sums = row.close()
            spent_ns += sums.working_ns + sums.waiting_ns + sums.ready_ns
            calls += sums.count
            errors += sums.errors
            if row.moved:
                owner = Owner(thread.process.pid, thread.process.comm)
                self._pipes.note(row.object, owner, row.direction)
            key = ActivityKey(thread.process.pid, thread.tid, row.object, row.name)
            self._rows[key] = self._rows[key] + sums if key in self._rows else sums
        return spent_ns, calls, errors

    def take(self) -> Delta:
        """Return what has been collected since the last time."""
        rows, self._rows = self._rows, {}
        waits, self._waits = self._waits, defaultdict(lambda: defaultdict(int))
        tallies, self._tallies = self._tallies, {}
        bins, self._bins = self._bins, defaultdict(dict)
        estimates, self._estimates = self._estimates, 0
        known = self.descriptors.known
        self._pipes.describe()
        used = {key.object for key in rows}
        objects = known.take(used)
        self._reuse.step(used)
        return Delta(
            activity=rows,
            objects=objects,
            object_waits={each: Histogram(counts) for each, counts in waits.items()},
            threads=tallies,
            timeline=Timeline(bins, self._bins_of.length_ns // _NS_IN_MS),
            ledger=Ledger(estimated_waits=estimates, untracked_objects=known.take_untracked()),
        )
