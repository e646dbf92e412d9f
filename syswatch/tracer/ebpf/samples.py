"""Samples of single calls, read from the ring buffer."""

import struct
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import attrs

from syswatch.base.classes import define, frozen
from syswatch.model.entries import FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.errnos import errno_name
from syswatch.model.slowest import SLOWEST_BY_CALL, SLOWEST_OVERALL, SlowCall, Slowest
from syswatch.model.trace_parent import TraceParent
from syswatch.tracer.trace_parents import TraceParents

from . import layout
from .maps import RING_BYTES
from .printer import Printed, Printer
from .program import Program
from .sample import Header, Raw, header_of, is_error
from .sample_ring import SampleRing

# A sample without data.
_LEAST = layout.Sample.memory.offset + layout.Memory.data.offset
_ROW_AND_SHOWN = struct.Struct("2I")
_ROW_AT = layout.Sample.row.offset
_RESULT = struct.Struct("q")
_RESULT_AT = layout.Sample.result.offset
_LOGGED = layout.SHOWN | layout.UNFINISHED
# In one reading; more than fit in the ring.
_MOST_AT_ONCE = 20_000
# The rings of events must be read in time, too.
_PRINTING_S = 0.06
_few_failures = partial(deque[Raw], maxlen=FAILURE_SAMPLES)


@frozen
class _Slow:
    """A sample of a slow call, with what is not known any more once the thread has ended."""

    raw: Raw
    pid: int
    trace_parent: TraceParent | None


def _no_object(_: int) -> int:
    return 0


def _ignore(_row: int, _raw: Raw) -> None:
    """Ignore a sample."""


@frozen
class Shown:
    """The log entries, failures and slowest calls of some samples."""

    log: tuple[LogEntry, ...]
    failures: Mapping[str, tuple[Failure, ...]]
    # How many counted calls are in the log; calls that never return are not counted.
    calls: int
    slowest: Slowest


@define
class Samples:
    """
    Turns samples into log entries, failures and the slowest calls.

    Only samples that are kept are formatted, and only on request: formatting takes far longer than
    reading a sample.
    """

    program: Program
    printer: Printer
    # Return the ID of an object, and the PID of a thread, by the numbers that the program uses.
    object_of: Callable[[int], int] = _no_object
    pid_of: Callable[[int], int] = _no_object
    trace_parents: TraceParents = attrs.field(factory=TraceParents)
    # Takes each sample, with its row.
    received: Callable[[int, Raw], None] = _ignore
    # Takes each sample that is printed; then each is printed at once.
    printed: Callable[[Header, Printed], None] | None = None
    # How many of one reading are in the log at most.
    most_logged: int = LOG_ENTRIES
    _prints: dict[Raw, Printed] = attrs.field(factory=dict, init=False)
    _recent: deque[Raw] = attrs.field(init=False)
    _failed: dict[int, deque[Raw]] = attrs.field(
        factory=partial(defaultdict, _few_failures), init=False
    )
    _slow: list[_Slow] = attrs.field(factory=list, init=False)
    # Until when those of one reading are printed.
    _print_until: float = attrs.field(default=0.0, init=False)
    _ring: SampleRing = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Open the ring buffer."""
        self._recent = deque(maxlen=self.most_logged)
        self._ring = SampleRing(self.program, RING_BYTES)

    def drain(self) -> None:
        """
        Read all samples from the ring buffer.

        If each is printed, the target may make calls faster than that: then the rest is not
        printed, and reading ends even if the target does not pause.
        """
        self._print_until = time.monotonic() + _PRINTING_S
        unread = _MOST_AT_ONCE
        while unread and (samples := self._ring.take(unread)):
            unread -= len(samples)
            for raw in samples:
                if len(raw) >= _LEAST:
                    self._receive(raw)

    def take(self, offset_ns: int) -> Shown:
        """Format the samples since the last time; `offset_ns` is added to monotonic times."""
        recent, failed, slow = tuple(self._recent), dict(self._failed), self._slow
        self._recent.clear()
        self._failed.clear()
        self._slow = []
        name_of = self.printer.names.name
        shown = Shown(
            tuple(self._entry(raw, offset_ns) for raw in recent),
            {
                name_of(row).name: tuple(self._failure(raw, offset_ns) for raw in raws)
                for row, raws in failed.items()
            },
            sum(
                not _ROW_AND_SHOWN.unpack_from(raw, _ROW_AT)[1] & layout.UNFINISHED
                for raw in recent
            ),
            self._slowest(slow, offset_ns),
        )
        self._prints.clear()
        return shown

    def _receive(self, raw: Raw) -> None:
        row, shown = _ROW_AND_SHOWN.unpack_from(raw, _ROW_AT)
        self.received(row, raw)
        if self.printed is not None and time.monotonic() < self._print_until:
            header = header_of(raw)
            printed = self._prints[raw] = self.printer.sample(raw, header)
            self.printed(header, printed)
        if shown & _LOGGED:
            self._recent.append(raw)
        if shown & layout.SLOW:
            self._slow.append(self._slow_sample(raw, header_of(raw)))
        if is_error(*_RESULT.unpack_from(raw, _RESULT_AT)):
            self._failed[row].append(raw)

    def _slow_sample(self, raw: Raw, header: Header) -> _Slow:
        pid = self.pid_of(header.thread) or header.tid
        return _Slow(raw, pid, self.trace_parents.of(pid, header.duration_ns))

    def _print(self, raw: Raw, header: Header) -> Printed:
        return self._prints.get(raw) or self.printer.sample(raw, header)

    def _entry(self, raw: Raw, offset_ns: int) -> LogEntry:
        header = header_of(raw)
        name = self.printer.names.name(header.row).name
        is_followed = bool(header.thread)
        return LogEntry(
            header.began_ns + offset_ns,
            header.tid,
            name,
            *self._print(raw, header),
            duration_ns=header.duration_ns or None,
            waited=bool(header.waits) if is_followed else None,
            object=self.object_of(header.object) if is_followed else 0,
        )

    def _failure(self, raw: Raw, offset_ns: int) -> Failure:
        header = header_of(raw)
        args = self._print(raw, header).args
        return Failure(header.began_ns + offset_ns, header.tid, errno_name(header.result), args)

    def _slowest(self, samples: Iterable[_Slow], offset_ns: int) -> Slowest:
        calls = sorted(
            ((header_of(sample.raw), sample) for sample in samples),
            key=lambda call: -call[0].duration_ns,
        )
        of_row: dict[int, int] = defaultdict(int)
        shown: list[SlowCall] = []
        for place, (header, sample) in enumerate(calls):
            of_row[header.row] += 1
            # Of the others, the program could not know that there are slower ones.
            if place < SLOWEST_OVERALL or of_row[header.row] <= SLOWEST_BY_CALL:
                shown.append(self._slow_call(header, sample, offset_ns))
        return Slowest.of(shown)

    def _slow_call(self, header: Header, sample: _Slow, offset_ns: int) -> SlowCall:
        return SlowCall(
            header.duration_ns,
            header.began_ns + offset_ns,
            sample.pid,
            header.tid,
            self.printer.names.name(header.row).name,
            *self._print(sample.raw, header),
            waiting_ns=header.waiting_ns,
            object=self.object_of(header.object),
            trace_parent=sample.trace_parent,
        )
