"""Samples of single calls, read from the ring buffer."""

import ctypes
import struct
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from functools import cache, partial

import attrs

from syswatch.model.entries import FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter
from syswatch.tracer.errnos import errno_name

from . import layout
from .calls import CallName, CallNames
from .libbpf import ON_SAMPLE
from .memory import Sampled, sampled
from .program import Program

_LAST_ERROR = 4095
# A sample without data.
_LEAST = layout.Sample.memory.offset + layout.Memory.data.offset
# began, result, arguments, tid, row, shown; what follows is not used here
_HEADER = struct.Struct(f"Qq{layout.ARGUMENTS}Q3I")
_ROW_AND_SHOWN = struct.Struct("2I")
_ROW_AT = layout.Sample.row.offset
_RESULT = struct.Struct("q")
_RESULT_AT = layout.Sample.result.offset

# A sample as the kernel has written it.
Raw = bytes
_few_failures = partial(deque[Raw], maxlen=FAILURE_SAMPLES)


@attrs.frozen
class Shown:
    """The log entries and failures of some samples."""

    log: tuple[LogEntry, ...]
    failures: Mapping[str, tuple[Failure, ...]]
    # How many counted calls are in the log; calls that never return are not counted.
    calls: int


@attrs.define
class Samples:
    """
    Turns samples into log entries and failures.

    Only samples that are kept are formatted, and only on request: formatting takes far longer than
    reading a sample.
    """

    program: Program
    options: TraceOptions
    names: CallNames
    _recent: deque[Raw] = attrs.field(factory=partial(deque, maxlen=LOG_ENTRIES), init=False)
    _failed: dict[int, deque[Raw]] = attrs.field(
        factory=partial(defaultdict, _few_failures), init=False
    )
    _ring: int = attrs.field(init=False)
    _callback: object = attrs.field(init=False)
    # By architecture.
    _formatter: Callable[[str], Formatter] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Open the ring buffer."""
        self._formatter = cache(partial(Formatter, self.options))
        self._callback = ON_SAMPLE(self._receive)
        libbpf = self.program.libbpf
        self._ring = libbpf.checked_pointer(
            libbpf.ring_buffer__new(self.program.fd("samples"), self._callback, None, None),
            "open the ring buffer of samples",
        )

    def drain(self) -> None:
        """Read all samples from the ring buffer."""
        self.program.libbpf.ring_buffer__consume(self._ring)

    def take(self, offset_ns: int) -> Shown:
        """Format the samples since the last time; `offset_ns` is added to monotonic times."""
        recent, failed = tuple(self._recent), dict(self._failed)
        self._recent.clear()
        self._failed.clear()
        log = tuple(self._entry(raw, offset_ns) for raw in recent)
        return Shown(
            log,
            {
                self.names.name(row).name: tuple(self._failure(raw, offset_ns) for raw in raws)
                for row, raws in failed.items()
            },
            sum(_ROW_AND_SHOWN.unpack_from(raw, _ROW_AT)[1] != layout.UNFINISHED for raw in recent),
        )

    def close(self) -> None:
        """Close the ring buffer."""
        self.program.libbpf.ring_buffer__free(self._ring)

    def _receive(self, _context: int, data: int, size: int) -> int:
        if size >= _LEAST:
            raw = ctypes.string_at(data, size)
            row, shown = _ROW_AND_SHOWN.unpack_from(raw, _ROW_AT)
            if shown:
                self._recent.append(raw)
            if _is_error(*_RESULT.unpack_from(raw, _RESULT_AT)):
                self._failed[row].append(raw)
        return 0

    def _entry(self, raw: Raw, offset_ns: int) -> LogEntry:
        began_ns, result, *args, tid, row, shown = _HEADER.unpack_from(raw)
        call, memory = self.names.name(row), sampled(raw)
        unfinished = shown == layout.UNFINISHED
        text = self._text(call, tuple(args), result, memory, unfinished=unfinished)
        ret, error = "?", ""
        if not unfinished:
            failed = _is_error(result)
            error = errno_name(result) if failed else ""
            ret = self._formatter(call.architecture).result(
                call.plain_name, tuple(args), result, failed, memory.after
            )
        return LogEntry(began_ns + offset_ns, tid, call.name, text, ret, error)

    def _failure(self, raw: Raw, offset_ns: int) -> Failure:
        began_ns, result, *args, tid, row, _ = _HEADER.unpack_from(raw)
        text = self._text(self.names.name(row), tuple(args), result, sampled(raw), unfinished=False)
        return Failure(began_ns + offset_ns, tid, errno_name(result), text)

    def _text(
        self,
        call: CallName,
        args: tuple[int, ...],
        result: int,
        memory: Sampled,
        *,
        unfinished: bool,
    ) -> str:
        formatter, name = self._formatter(call.architecture), call.plain_name
        captured = None
        if formatter.needs_entry(name):
            captured = formatter.capture(name, args, memory.before)
        failed = unfinished or _is_error(result)
        return formatter.format(name, args, result, failed, memory.after, captured)


def _is_error(result: int) -> bool:
    return -_LAST_ERROR <= result < 0
