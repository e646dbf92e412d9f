"""Sums and samples of the traced calls, and a delta at each flush."""

import time
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.base.redaction import Redactor
from syswatch.model.backends import PTRACE
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.errnos import errno_name
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Reported, TraceOptions
from syswatch.model.now import Now
from syswatch.model.objects import NO_OBJECT
from syswatch.model.slowest import SlowCall
from syswatch.model.times import SECOND_NS
from syswatch.tracer.announcement import Announcer
from syswatch.tracer.clock import Clock
from syswatch.tracer.collector import Collector
from syswatch.tracer.control import FIRST_NS, FLUSH_NS
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.slowest import SlowestFinder
from syswatch.tracer.subject import describe
from syswatch.tracer.sums import CallSums
from syswatch.tracer.trace_parents import TraceParents

from .calls import CallKind, Effect, Return
from .in_progress import InProgress
from .rows import Row, close_rows
from .texts import Texts
from .threads import SumsKey, Thread
from .waits import LONG_NS, NO_WAIT

if TYPE_CHECKING:
    from .activity import Activity
    from .events import Events
    from .evidence import EvidenceCounter

_NEVER = 1 << 63
_FLUSHES = SECOND_NS // FLUSH_NS
# While there is little to send, flush at these tenths of a second only: a delta costs 2 ms.
_FLUSHES_WHILE_IDLE = frozenset({0, 3, 6})


class Finding(NamedTuple):
    """What the log shows of a call besides its arguments; `text` is these, if they are known."""

    duration_ns: int | None = None
    object: int = NO_OBJECT
    waited: bool | None = None
    text: str = ""


@define
class Recorder:
    """Collects the content of the next delta."""

    options: TraceOptions
    outbox: Outbox
    # None if objects, waits and threads are not followed.
    activity: "Activity | None" = None
    # None if calls are not recorded.
    events: "Events | None" = None
    # None without `--profile`.
    evidence: "EvidenceCounter | None" = None
    collector: Collector = attrs.field(init=False)
    # How many more calls may be logged before the next flush; what was not used accumulates up to
    # a burst, so that short programs are logged completely.
    log_quota: int = attrs.field(init=False, default=0)
    _quota_per_flush: int = attrs.field(init=False)
    _burst: int = attrs.field(init=False)
    # When the next flush is due, on the monotonic clock.
    due_ns: int = attrs.field(init=False, default=0)
    # The main process; 0 when it has ended, because its PID may be reused.
    main_pid: int = attrs.field(init=False, default=0)
    # Whether the main process was renamed; the next flush describes it again.
    is_renamed: bool = attrs.field(init=False, default=False)
    _announcer: Announcer = attrs.field(init=False)
    texts: Texts = attrs.field(init=False)
    _touched: list[Thread] = attrs.field(factory=list, init=False)
    _log: list[LogEntry] = attrs.field(factory=list, init=False)
    _slowest: SlowestFinder = attrs.field(factory=SlowestFinder, init=False)
    _trace_parents: TraceParents = attrs.field(init=False)
    _in_progress: InProgress = attrs.field(factory=InProgress, init=False)
    _shown: int = attrs.field(init=False, default=0)
    _failures: dict[str, list[Failure]] = attrs.field(factory=lambda: defaultdict(list), init=False)
    # How many failures of each name were kept of late, and the kinds of which no more are kept
    # before the next flush.
    _kept_failures: dict[str, int] = attrs.field(factory=lambda: defaultdict(int), init=False)
    sampled: set[CallKind] = attrs.field(factory=set, init=False)
    _began_ns: int = attrs.field(init=False, default=0)
    _interval_ns: int = attrs.field(init=False, default=0)
    _sent_ns: int = attrs.field(init=False, default=0)
    _clock: Clock = attrs.field(factory=Clock, init=False)
    _described_ns: int = attrs.field(init=False, default=0)
    # What to add to the monotonic clock, which times calls, to date them.
    offset_ns: int = attrs.field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        """Start the span of the trace; nothing is sent before `start`."""
        self.collector = Collector(
            per_process=self.options.per_process, redact=Redactor(self.options.redact)
        )
        self.texts = Texts(self.options) if self.events is None else self.events.texts
        self._announcer = Announcer(PTRACE.name, self.options, self.outbox, self.collector.redact)
        self._trace_parents = TraceParents(self.options.trace_parents)
        self._quota_per_flush = self.options.log_rate // _FLUSHES
        self._burst = max(self._quota_per_flush, min(self.options.log_rate, LOG_ENTRIES))
        self.begin()

    def begin(self) -> None:
        """Begin the span of the trace, which may be long after everything was prepared."""
        self._began_ns = time.time_ns()
        self.start()
        self.due_ns = _NEVER

    def start(self) -> None:
        """Start flushing; the first flush comes early, to show that tracing works."""
        self.log_quota = self._burst
        self._begin_interval(time.time_ns())
        self.due_ns = min(self.due_ns, time.monotonic_ns() + FIRST_NS)
        if self.activity is not None:
            self.activity.start()

    def new_sums(self, thread: Thread, key: SumsKey) -> CallSums | Row:
        """Return the sums of a call, and cache them for the loop."""
        if not thread.rows:
            self._touched.append(thread)
        call, number, *direction = key if isinstance(key, tuple) else (key, NO_OBJECT)
        sums: CallSums | Row = self.collector.sums_of(thread.process.pid, call.name)
        if isinstance(sums, CallSums) and self.activity is not None:
            moved = direction[0] if direction else call.target.moved
            subjects = self.activity.subjects
            row = subjects.answers.row(thread, call, sums, number) or subjects.destinations.row(
                thread, call, sums, number, self.note_object
            )
            sums = row or Row(sums, call.name, number, moved)
        elif isinstance(sums, CallSums) and self.events is not None:
            sums = Row(sums, call.name, number)
        if isinstance(sums, Row) and self.events is not None:
            sums.identities = self.events.identities(thread, call)
        thread.rows[key] = sums
        return sums

    def note_object(self, thread: Thread, call: CallKind, number: int) -> None:
        """Make sure that there is a row for an object, though the call is counted for another."""
        if (call, number) not in thread.rows:
            self.new_sums(thread, (call, number))
        if self.events is not None:
            self.events.named(thread, call, number)

    def capture(self, thread: Thread, call: CallKind) -> None:
        """Read memory that a call may overwrite, if it will be logged; execve overwrites all."""
        decodes_all = self.events is not None and self.options.decode_all
        if self.log_quota > 0 or call.effect is Effect.EXEC or decodes_all:
            self.texts.capture(thread, call)
        else:
            thread.captured = None

    def before_call(self, thread: Thread, call: CallKind) -> None:
        """Prepare for a call that is likely to wait."""
        if self.activity is not None:
            self.activity.before_call(thread, call)

    def keep(self, thread: Thread, call: CallKind, returned: Return, finding: Finding) -> None:
        """Log a call that returned, if the quota allows it; the thread is still stopped."""
        result, failed, _ = returned
        errno = errno_name(result) if failed else ""
        sampled = failed and self._kept_failures[call.name] < FAILURE_SAMPLES
        if self.log_quota <= 0 and not sampled:
            return
        text = finding.text or self.texts.arguments(thread, call, result, failed=failed)
        if sampled:
            at = thread.entered_ns + self.offset_ns
            self._failures[call.name].append(Failure(at, thread.tid, errno, text))
            self._kept_failures[call.name] += 1
            if self._kept_failures[call.name] >= FAILURE_SAMPLES:
                self.sampled.add(call)
        if self.log_quota > 0:
            self._shown += 1
            ret = self.texts.result(thread, call, returned)
            self._show(thread, call, (text, ret, errno), finding)

    def keep_timed(
        self, thread: Thread, call: CallKind, sums: CallSums | Row, returned: Return
    ) -> None:
        """Find out whether a call waited, and whether it is among the slowest; log it."""
        duration_ns = returned.at_ns - thread.entered_ns
        if not isinstance(sums, Row) or self.activity is None:
            self.keep(thread, call, returned, Finding(duration_ns))
            return
        if duration_ns < call.bound_ns:
            self.keep(thread, call, returned, Finding(duration_ns, sums.object, waited=False))
            return
        split = NO_WAIT
        if duration_ns >= LONG_NS:
            split = self.activity.long_call(thread, call, sums, returned.at_ns)
        finding = Finding(duration_ns, sums.object, split.waited)
        if duration_ns >= self._slowest.bound(call.name):
            text = self.texts.arguments(thread, call, returned.result, failed=returned.failed)
            finding = finding._replace(text=text)
            self._slowest.add(
                SlowCall(
                    duration_ns=duration_ns,
                    time_ns=thread.entered_ns + self.offset_ns,
                    pid=thread.process.pid,
                    tid=thread.tid,
                    name=call.name,
                    args=text,
                    ret=self.texts.result(thread, call, returned),
                    error=errno_name(returned.result) if returned.failed else "",
                    waiting_ns=split.waiting_ns,
                    object=sums.object,
                    trace_parent=self._trace_parents.of(thread.process.pid, duration_ns),
                )
            )
        call.bound_ns = min(LONG_NS, self._slowest.bound(call.name))
        self.keep(thread, call, returned, finding)

    def count_path(self, call: CallKind, path: bytes, failed: bool) -> None:  # noqa: FBT001
        """Count a path that a call has opened, or failed to open."""
        self.collector.count_path(self.texts.shown_path(path, call), failed=failed)

    def keep_unfinished(self, thread: Thread, call: CallKind) -> None:
        """Log a call that will never return."""
        if self.log_quota > 0:
            text = self.texts.in_progress(thread, call)
            self._show(thread, call, (text, "?", ""), Finding())

    def record_unfinished(self, thread: Thread, call: CallKind) -> None:
        """Record a call that has not returned."""
        if self.evidence is not None:
            self.evidence.unfinished(thread, call)
        if self.events is not None:
            subjects = None if self.activity is None else self.activity.subjects
            number = subjects.begun(subjects.observe(thread, call)) if subjects else NO_OBJECT
            self.events.unfinished(thread, call, number)

    def announce(self) -> None:
        """Send a description of the main process if it has changed."""
        self._announcer.announce(describe(self.main_pid))

    def flush(self) -> None:
        """Send a delta and start a new one; while there is little to send, skip some flushes."""
        now_ns = time.time_ns()
        if self.events is not None and not self.events.send():
            self.events = None
        if (
            self._sent_ns
            and self.log_quota > 0
            and now_ns // FLUSH_NS % _FLUSHES not in _FLUSHES_WHILE_IDLE
        ):
            self._wait(now_ns)
            return
        if self.main_pid and (self.is_renamed or now_ns - self._described_ns >= SECOND_NS):
            # It may also have changed its directory, or its name by way of /proc.
            self.is_renamed = False
            self._described_ns = now_ns
            self.announce()
        delta = self._take(now_ns, is_last=False)
        # The elapsed time advances even without calls, but not ten times a second.
        has_news = delta.calls or delta.processes or delta.log or delta.threads or delta.objects
        if has_news or now_ns - self._sent_ns >= SECOND_NS:
            self.outbox.offer(delta)
            self._sent_ns = now_ns
        self._begin_interval(now_ns)

    def report(self) -> None:
        """Send everything that was counted until now."""
        now_ns = time.time_ns()
        if self.events is not None:
            self.events.send()
        self.outbox.offer(self._take(now_ns, is_last=False))
        self._begin_interval(now_ns)
        sent = self.events.pipe.queued_bytes if self.events is not None else 0
        self.outbox.send_in_order(Reported(sent))

    def finish(self) -> Delta:
        """Return what has not been sent yet."""
        if self.events is not None:
            self.events.send()
        return self._take(time.time_ns(), is_last=True)

    def _take(self, now_ns: int, *, is_last: bool) -> Delta:
        activity = self._take_activity(is_last=is_last)
        for thread in self._touched:
            close_rows(thread)
        evidence, cut = ({}, 0) if self.evidence is None else self.evidence.take(self.offset_ns)
        sums = self.collector.take(self._interval_ns // SECOND_NS)
        shown, self._shown = self._shown, 0
        counted = sum(tally.count for tally in sums.calls.values())
        log, self._log = self._log, []
        failures, self._failures = self._failures, defaultdict(list)
        self._sample_more_failures()
        self._touched = []
        return attrs.evolve(
            sums,
            log=tuple(log),
            failures={name: tuple(samples) for name, samples in failures.items()},
            activity=activity.activity,
            objects=activity.objects,
            object_waits=activity.object_waits,
            evidence=evidence,
            threads=activity.threads,
            timeline=activity.timeline,
            now=activity.now,
            slowest=self._slowest.take(),
            span=Span(self._began_ns, now_ns),
            ledger=sums.ledger
            + activity.ledger
            + Ledger(sampled_entries=counted - shown, untracked_evidence=cut),
        )

    def _sample_more_failures(self) -> None:
        """Let as many failures of each kind be kept in a second as are shown of it."""
        for name, kept in tuple(self._kept_failures.items()):
            self._kept_failures[name] = kept - FAILURE_SAMPLES // _FLUSHES
            if self._kept_failures[name] <= 0:
                del self._kept_failures[name]
        self.sampled.clear()

    def _take_activity(self, *, is_last: bool) -> Delta:
        """Return the part of a delta that tells where the time went."""
        if self.activity is None:
            return Delta()
        now_ns = time.monotonic_ns()
        self.activity.settle(now_ns, self.offset_ns, is_last=is_last)
        now = Now(now_ns + self.offset_ns)
        if not is_last:
            text_of = self.texts.in_progress
            now = self._in_progress.report(self.activity, now_ns, self.offset_ns, text_of)
        return attrs.evolve(self.activity.take(), now=now)

    def _begin_interval(self, now_ns: int) -> None:
        """Start an interval that ends at a tenth of a second, so that it lies in one second."""
        self._wait(now_ns)
        self._interval_ns = now_ns
        self.offset_ns = self._clock.offset_ns()
        if self.events is not None:
            self.events.offset_ns = self.offset_ns
        self.log_quota = min(self.log_quota + self._quota_per_flush, self._burst)

    def _wait(self, now_ns: int) -> None:
        self.due_ns = time.monotonic_ns() + FLUSH_NS - now_ns % FLUSH_NS

    def _show(
        self, thread: Thread, call: CallKind, texts: tuple[str, str, str], finding: Finding
    ) -> None:
        """Log a call; the texts are its arguments, its result, and the name of its error."""
        self.log_quota -= 1
        self._log.append(
            LogEntry(
                thread.entered_ns + self.offset_ns,
                thread.tid,
                call.name,
                *texts,
                finding.duration_ns,
                finding.waited,
                finding.object,
            )
        )
