"""Sums and samples of the traced calls, and a delta at each flush."""

import time
from collections import defaultdict
from collections.abc import Callable
from functools import cache, partial

import attrs

from syswatch.base.redaction import Redactor
from syswatch.model.backends import PTRACE
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.ledger import Ledger
from syswatch.model.messages import TraceOptions
from syswatch.model.times import SECOND_NS
from syswatch.tracer.announcement import Announcer
from syswatch.tracer.clock import Clock
from syswatch.tracer.collector import Collector
from syswatch.tracer.control import FLUSH_NS
from syswatch.tracer.decode import MASK_IN_FRAME, Formatter
from syswatch.tracer.errnos import errno_name
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.subject import describe
from syswatch.tracer.sums import CallSums

from .abi import read_arguments, read_stack_pointer
from .calls import CallKind, Effect
from .threads import Process, Thread

_NEVER = 1 << 63
_SIGRETURN = "rt_sigreturn"
_FLUSHES = SECOND_NS // FLUSH_NS
# While there is little to send, flush at these tenths of a second only: a delta costs 2 ms.
_FLUSHES_WHILE_IDLE = frozenset({0, 3, 6})


@attrs.define
class Recorder:
    """Collects the content of the next delta."""

    options: TraceOptions
    outbox: Outbox
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
    # By architecture.
    formatter: Callable[[str], Formatter] = attrs.field(init=False)
    _touched: list[Process] = attrs.field(factory=list, init=False)
    _log: list[LogEntry] = attrs.field(factory=list, init=False)
    _shown: int = attrs.field(init=False, default=0)
    _failures: dict[str, list[Failure]] = attrs.field(factory=lambda: defaultdict(list), init=False)
    _began_ns: int = attrs.field(init=False, default=0)
    _interval_ns: int = attrs.field(init=False, default=0)
    _sent_ns: int = attrs.field(init=False, default=0)
    _clock: Clock = attrs.field(factory=Clock, init=False)
    _described_ns: int = attrs.field(init=False, default=0)
    # What to add to the monotonic clock, which times calls, to date them.
    _offset_ns: int = attrs.field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        """Start the span of the trace; nothing is sent before `start`."""
        self.collector = Collector(
            per_process=self.options.per_process, redact=Redactor(self.options.redact)
        )
        self.formatter = cache(partial(Formatter, self.options))
        self._announcer = Announcer(PTRACE.name, self.options, self.outbox, self.collector.redact)
        self._quota_per_flush = self.options.log_rate // _FLUSHES
        self._burst = max(self._quota_per_flush, min(self.options.log_rate, LOG_ENTRIES))
        self._began_ns = time.time_ns()
        self.start()
        self.due_ns = _NEVER

    def start(self) -> None:
        """Start flushing."""
        self.log_quota = self._burst
        self._begin_interval(time.time_ns())

    def new_sums(self, process: Process, call: CallKind) -> CallSums:
        """Return the sums of a call, and cache them for the loop."""
        if not process.sums:
            self._touched.append(process)
        process.sums[call] = sums = self.collector.sums_of(process.pid, call.name)
        return sums

    def capture(self, thread: Thread, call: CallKind) -> None:
        """Read memory that a call may overwrite, if it will be logged; execve overwrites all."""
        if self.log_quota > 0 or call.effect is Effect.EXEC:
            formatter = self.formatter(call.architecture)
            args = _arguments(thread, call)
            thread.captured = formatter.capture(call.plain_name, args, thread.memory)
        else:
            thread.captured = None

    def path(self, thread: Thread, call: CallKind) -> str | None:
        """Return the path argument of a call of the open family."""
        args = _arguments(thread, call)
        formatter = self.formatter(call.architecture)
        return formatter.path(call.plain_name, args, thread.memory)

    def keep(self, thread: Thread, call: CallKind, result: int, failed: bool) -> None:  # noqa: FBT001
        """Log a call that returned, if the quota allows it; the thread is still stopped."""
        errno = errno_name(result) if failed else ""
        sampled = failed and len(self._failures[call.name]) < FAILURE_SAMPLES
        if self.log_quota <= 0 and not sampled:
            return
        args, memory = _arguments(thread, call), thread.memory
        formatter = self.formatter(call.architecture)
        text = self._text(thread, call, args, result, failed=failed)
        if sampled:
            at = thread.entered_ns + self._offset_ns
            self._failures[call.name].append(Failure(at, thread.tid, errno, text))
        if self.log_quota > 0:
            self._shown += 1
            ret = formatter.result(call.plain_name, args, result, failed, memory)
            self._show(thread, call, text, ret, errno)

    def keep_unfinished(self, thread: Thread, call: CallKind) -> None:
        """Log a call that will never return."""
        if self.log_quota > 0:
            text = self._text(thread, call, _arguments(thread, call), 0, failed=True)
            self._show(thread, call, text, "?", "")

    def announce(self) -> None:
        """Send a description of the main process if it has changed."""
        self._announcer.announce(describe(self.main_pid))

    def flush(self) -> None:
        """Send a delta and start a new one; while there is little to send, skip some flushes."""
        now_ns = time.time_ns()
        if self.log_quota > 0 and now_ns // FLUSH_NS % _FLUSHES not in _FLUSHES_WHILE_IDLE:
            self._wait(now_ns)
            return
        if self.main_pid and (self.is_renamed or now_ns - self._described_ns >= SECOND_NS):
            # It may also have changed its directory, or its name by way of /proc.
            self.is_renamed = False
            self._described_ns = now_ns
            self.announce()
        delta = self._take(now_ns)
        # The elapsed time advances even without calls, but not ten times a second.
        if delta.calls or delta.processes or delta.log or now_ns - self._sent_ns >= SECOND_NS:
            self.outbox.offer(delta)
            self._sent_ns = now_ns
        self._begin_interval(now_ns)

    def finish(self) -> Delta:
        """Return what has not been sent yet."""
        return self._take(time.time_ns())

    def _take(self, now_ns: int) -> Delta:
        sums = self.collector.take(self._interval_ns // SECOND_NS)
        shown, self._shown = self._shown, 0
        counted = sum(tally.count for tally in sums.calls.values())
        log, self._log = self._log, []
        failures, self._failures = self._failures, defaultdict(list)
        for process in self._touched:
            process.sums = {}
        self._touched = []
        return attrs.evolve(
            sums,
            log=tuple(log),
            failures={name: tuple(samples) for name, samples in failures.items() if samples},
            span=Span(self._began_ns, now_ns),
            ledger=sums.ledger + Ledger(sampled_entries=counted - shown),
        )

    def _begin_interval(self, now_ns: int) -> None:
        """Start an interval that ends at a tenth of a second, so that it lies in one second."""
        self._wait(now_ns)
        self._interval_ns = now_ns
        self._offset_ns = self._clock.offset_ns()
        self.log_quota = min(self.log_quota + self._quota_per_flush, self._burst)

    def _wait(self, now_ns: int) -> None:
        self.due_ns = time.monotonic_ns() + FLUSH_NS - now_ns % FLUSH_NS

    def _text(
        self, thread: Thread, call: CallKind, args: tuple[int, ...], result: int, *, failed: bool
    ) -> str:
        formatter = self.formatter(call.architecture)
        memory = thread.memory
        captured = thread.captured if call.captured else None
        if captured is None and call.captured:
            # The quota was used up at the entry; the memory is mostly still the same.
            captured = formatter.capture(call.plain_name, args, memory)
        return formatter.format(call.plain_name, args, result, failed, memory, captured)

    def _show(self, thread: Thread, call: CallKind, text: str, ret: str, errno: str) -> None:
        self.log_quota -= 1
        at = thread.entered_ns + self._offset_ns
        self._log.append(LogEntry(at, thread.tid, call.name, text, ret, errno))


def _arguments(thread: Thread, call: CallKind) -> tuple[int, ...]:
    """Return the arguments of a call, from registers or from the stack."""
    if call.plain_name != _SIGRETURN:
        return read_arguments(thread.entry)
    offset = MASK_IN_FRAME.get(call.architecture)
    return (read_stack_pointer(thread.entry)[0] + offset if offset else 0,)
