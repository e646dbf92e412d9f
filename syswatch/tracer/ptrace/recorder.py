"""What becomes of the calls that the loop sees: sums, samples, and a delta at each flush."""

import time
from collections import defaultdict

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
from .calls import CallKind, Duty
from .threads import Process, Thread

_NEVER = 1 << 63
_SIGRETURN = "rt_sigreturn"
_FLUSHES = SECOND_NS // FLUSH_NS
# A delta costs two milliseconds, which a program that computes on all processors would miss.
_UNHURRIED = frozenset({0, 3, 6})


@attrs.define
class Recorder:
    """Keeps what a delta holds until the next flush."""

    options: TraceOptions
    outbox: Outbox
    collector: Collector = attrs.field(init=False)
    # How many more calls are shown in the log before the next flush; what was not needed before
    # is kept, up to a burst, so that what is short is shown whole.
    room: int = attrs.field(init=False, default=0)
    _regained: int = attrs.field(init=False)
    _burst: int = attrs.field(init=False)
    # When the next flush is due, on the monotonic clock.
    due_ns: int = attrs.field(init=False, default=0)
    # Who is watched; 0 when it has ended, since the number may be another's then.
    main_pid: int = attrs.field(init=False, default=0)
    # Whether it has another name since then; it is introduced again by the next flush, however
    # many names it has in between.
    is_renamed: bool = attrs.field(init=False, default=False)
    _announcer: Announcer = attrs.field(init=False)
    _formatters: dict[str, Formatter] = attrs.field(factory=dict, init=False)
    _touched: list[Process] = attrs.field(factory=list, init=False)
    _log: list[LogEntry] = attrs.field(factory=list, init=False)
    _kept: int = attrs.field(init=False, default=0)
    _failures: dict[str, list[Failure]] = attrs.field(factory=lambda: defaultdict(list), init=False)
    _began_ns: int = attrs.field(init=False, default=0)
    _interval_ns: int = attrs.field(init=False, default=0)
    _sent_ns: int = attrs.field(init=False, default=0)
    _clock: Clock = attrs.field(factory=Clock, init=False)
    _looked_ns: int = attrs.field(init=False, default=0)
    # What to add to the monotonic clock, which times calls, to date them.
    _offset_ns: int = attrs.field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        """Begin the span of the trace now; nothing is sent before `start`."""
        self.collector = Collector(
            per_process=self.options.per_process, redact=Redactor(self.options.redact)
        )
        self._announcer = Announcer(PTRACE.name, self.options, self.outbox, self.collector.redact)
        self._regained = self.options.log_rate // _FLUSHES
        self._burst = max(self._regained, min(self.options.log_rate, LOG_ENTRIES))
        self._began_ns = time.time_ns()
        self.start()
        self.due_ns = _NEVER

    def start(self) -> None:
        """Let flushes fall due."""
        self.room = self._burst
        self._begin_interval(time.time_ns())

    def new_sums(self, process: Process, call: CallKind) -> CallSums:
        """Return where to add a call, and leave it where the loop looks first."""
        if not process.sums:
            self._touched.append(process)
        process.sums[call] = sums = self.collector.sums_of(process.pid, call.name)
        return sums

    def formatter(self, architecture: str) -> Formatter:
        """Return what makes text of the arguments of an architecture's calls."""
        known = self._formatters.get(architecture)
        if known is None:
            known = self._formatters[architecture] = Formatter(self.options, architecture)
        return known

    def capture(self, thread: Thread, call: CallKind) -> None:
        """Read what a call may overwrite, if it is going to be shown; execve overwrites all."""
        if self.room > 0 or call.duty is Duty.EXECS:
            formatter = self.formatter(call.architecture)
            args = _arguments(thread, call)
            thread.kept = formatter.capture(call.plain_name, args, thread.memory)
        else:
            thread.kept = None

    def path(self, thread: Thread, call: CallKind) -> str | None:
        """Return the path that a call of the open family is given."""
        args = _arguments(thread, call)
        formatter = self.formatter(call.architecture)
        return formatter.path(call.plain_name, args, thread.memory)

    def keep(self, thread: Thread, call: CallKind, result: int, failed: bool) -> None:  # noqa: FBT001
        """Show a call that returned, if there is room; the thread is still stopped."""
        errno = errno_name(result) if failed else ""
        sampled = failed and len(self._failures[call.name]) < FAILURE_SAMPLES
        if self.room <= 0 and not sampled:
            return
        args, memory = _arguments(thread, call), thread.memory
        formatter = self.formatter(call.architecture)
        text = self._text(thread, call, args, result, failed=failed)
        if sampled:
            at = thread.entered_ns + self._offset_ns
            self._failures[call.name].append(Failure(at, thread.tid, errno, text))
        if self.room > 0:
            self._kept += 1
            ret = formatter.result(call.plain_name, args, result, failed, memory)
            self._show(thread, call, text, ret, errno)

    def keep_unfinished(self, thread: Thread, call: CallKind) -> None:
        """Show a call that will never return."""
        if self.room > 0:
            text = self._text(thread, call, _arguments(thread, call), 0, failed=True)
            self._show(thread, call, text, "?", "")

    def announce(self) -> None:
        """Send a description of the main process if it has changed."""
        self._announcer.announce(describe(self.main_pid))

    def flush(self) -> None:
        """Send what there is, and begin anew; if that is little, not each time."""
        now_ns = time.time_ns()
        if self.room > 0 and now_ns // FLUSH_NS % _FLUSHES not in _UNHURRIED:
            self._wait(now_ns)
            return
        if self.main_pid and (self.is_renamed or now_ns - self._looked_ns >= SECOND_NS):
            # It may also have gone to another folder, or been named by way of /proc.
            self.is_renamed = False
            self._looked_ns = now_ns
            self.announce()
        delta = self._take(now_ns)
        # A quiet target still has a clock that goes on, but not ten times a second.
        if delta.calls or delta.processes or delta.log or now_ns - self._sent_ns >= SECOND_NS:
            self.outbox.offer(delta)
            self._sent_ns = now_ns
        self._begin_interval(now_ns)

    def finish(self) -> Delta:
        """Return what has not been sent yet."""
        return self._take(time.time_ns())

    def _take(self, now_ns: int) -> Delta:
        sums = self.collector.take(self._interval_ns // SECOND_NS)
        shown, self._kept = self._kept, 0
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
        """Let the interval end with a tenth of a wall-clock second: so it is in one second."""
        self._wait(now_ns)
        self._interval_ns = now_ns
        self._offset_ns = self._clock.offset_ns()
        self.room = min(self.room + self._regained, self._burst)

    def _wait(self, now_ns: int) -> None:
        self.due_ns = time.monotonic_ns() + FLUSH_NS - now_ns % FLUSH_NS

    def _text(
        self, thread: Thread, call: CallKind, args: tuple[int, ...], result: int, *, failed: bool
    ) -> str:
        formatter = self.formatter(call.architecture)
        memory = thread.memory
        captured = thread.kept if call.captured else None
        if captured is None and call.captured:
            # There was no room when the call began; what was there then mostly still is.
            captured = formatter.capture(call.plain_name, args, memory)
        return formatter.format(call.plain_name, args, result, failed, memory, captured)

    def _show(self, thread: Thread, call: CallKind, text: str, ret: str, errno: str) -> None:
        self.room -= 1
        at = thread.entered_ns + self._offset_ns
        self._log.append(LogEntry(at, thread.tid, call.name, text, ret, errno))


def _arguments(thread: Thread, call: CallKind) -> tuple[int, ...]:
    """Return what a call was given, in registers or on the stack."""
    if call.plain_name != _SIGRETURN:
        return read_arguments(thread.entry)
    offset = MASK_IN_FRAME.get(call.architecture)
    return (read_stack_pointer(thread.entry)[0] + offset if offset else 0,)
